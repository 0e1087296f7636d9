import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { aptGet, succeeds } from '@paymaster/devnet';
import { output, show, works } from './engine';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** What the full image of Node has and the slim one has not, as far as a build needs it. */
const TO_COMPILE = ['python3', 'make', 'g++'];

/** What builds and runs images without a daemon, and what makes a base for them. */
const TOOLS = ['buildah', 'runc', 'mmdebstrap'];

/** Installs what is missing of it, where apt-get needs no password. @param say told each line of apt-get's */
export async function installTools(say: (line: string) => void): Promise<void> {
  const missing = TOOLS.filter((tool) => !works(tool));
  const apt = aptGet();
  if (missing.length === 0 || !apt) return;
  await succeeds([...apt, 'update'], say);
  await succeeds([...apt, 'install', '-y', '--no-install-recommends', ...missing], say);
}

/**
 * Makes a stand-in for `node:<version>-<suite>[-slim]` of Debian's packages, of the Node of that version that npm has,
 * and of npm and the certificates of this machine.
 *
 * @param folder for what is downloaded
 * @returns its name
 * @throws when the base is another image than Node on Debian
 */
export async function makeLocalBase(base: string, folder: string): Promise<string> {
  const [, version = '', suite = '', slim] = /^node:(\d+\.\d+\.\d+)-([a-z]+)(-slim)?@/.exec(base) ?? [];
  if (!version) throw new Error(`--local-base cannot make ${base}: it is no Node on Debian`);
  const image = `localhost/paymaster-local-base:${base.slice('node:'.length, base.indexOf('@'))}`;
  const known = await output('buildah', ['images', '--quiet', image]).catch(() => '');
  if (known) return image;
  if (!works('mmdebstrap')) {
    throw new Error(`--local-base needs mmdebstrap: apt-get install -y --no-install-recommends ${TOOLS.join(' ')}`);
  }

  const here = join(folder, `base${slim ?? ''}`);
  mkdirSync(here);
  const packages = ['ca-certificates', 'libstdc++6', ...(slim ? [] : TO_COMPILE)].join();
  const system = join(here, 'system.tar');
  await show('mmdebstrap', ['--quiet', '--variant=minbase', `--include=${packages}`, suite, system]);
  const node = `node-linux-${process.arch}@${version}`;
  const [archive = ''] = (await output('npm', ['pack', '--silent', '--pack-destination', here, node]))
    .split('\n')
    .slice(-1);
  await output('tar', ['--extract', '--file', join(here, archive), '--directory', here]);

  const container = await output('buildah', ['from', 'scratch']);
  try {
    await output('buildah', ['add', '--quiet', container, system, '/']);
    const root = await output('buildah', ['mount', container]);
    for (const part of ['bin', 'include'])
      cpSync(join(here, 'package', part), join(root, 'usr/local', part), { recursive: true });
    if (!slim) await addNpm(root);
    const trust = !slim && existsSync(CERTIFICATES) ? ['--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`] : [];
    await output('buildah', ['config', '--cmd', 'node', ...trust, container]);
    await output('buildah', ['commit', '--quiet', '--format', 'docker', container, image]);
  } finally {
    await output('buildah', ['rm', container]);
  }
  return image;
}

async function addNpm(root: string): Promise<void> {
  // Where the command is: `npm root` answers for the Node that runs it, which may have no npm of its own.
  const npm = join(realpathSync(await output('sh', ['-c', 'command -v npm'])), '../..');
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  // A proxy between this machine and npm's registry has a certificate of its own.
  if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, join(root, CERTIFICATES));
}
