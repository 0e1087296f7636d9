import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startProcess } from '@paymaster/devnet';
import type { BuiltImage } from './build-stages';
import type { ImageWorld } from './image-world';
import { strayFiles } from './stray-files';

/** The longest a container may take to end before a kubelet or compose kills it, less some air. */
const END_WITHIN_MS = 25_000;
const NATIVE = 'secp256k1/bindings';

export interface TryOptions {
  readonly app: string;
  readonly image: BuiltImage;
  readonly world: ImageWorld;
  readonly say: (line: string) => void;
}

/**
 * Looks at what an image holds, and runs it as its container would run: as its user without any privilege, in a folder
 * that it cannot write, with the environment of compose; migrates, makes the event stream, starts, asks the image's own healthcheck, and ends it
 * with SIGTERM.
 *
 * @throws at the first of these that does not hold
 */
export async function tryImage({ app, image, world, say }: TryOptions): Promise<void> {
  const container = await containerOf(image);
  const ok = (what: string, started: number) => say(`ok    ${app} runs: ${what} (${seconds(started)} s)`);

  let started = Date.now();
  const strays = strayFiles(image);
  if (strays.length > 0) throw new Error(`${app} holds what has no place in an image: ${strays.join(', ')}`);
  ok('holds bundles, its healthcheck and packages for production, and nothing else', started);

  started = Date.now();
  await mustBeReadOnly(container);
  await container.run(['node', '-e', `require('${NATIVE}')`], {});
  ok(`${container.who}, cannot write, loads ${NATIVE}`, started);

  for (const [name, service] of Object.entries(world.compose.services)) {
    if (!/^(migrate|make)-/.test(name) || service.image !== world.compose.services[app]?.image) continue;
    started = Date.now();
    await container.run(service.command ?? [], world.environmentOf(name));
    ok(`${name} ended with code 0`, started);
  }

  started = Date.now();
  const ports = { HOST: '127.0.0.1', PORT: String(await freePort()), ...(await monitorPort(image)) };
  const env = container.env({ ...world.environmentOf(app), ...ports });
  const [command = '', ...args] = container.as(image.command);
  const running = await startProcess({
    name: app,
    ...{ command, args, env, envIsAll: true, cwd: container.cwd },
    ready: {
      probe: async () => {
        await container.run(image.healthcheck, ports);
        // The port of probes is up early; signals are heard once the other one is too, which is asked without it.
        await container.run(image.healthcheck, { ...ports, MONITOR_PORT: '' });
        return true;
      },
    },
    stopTimeoutMs: END_WITHIN_MS,
  });
  ok(`${image.command.join(' ')} is up, says ${image.healthcheck.join(' ')}`, started);

  started = Date.now();
  await running.stop();
  const how = await running.ended;
  if (how !== 'ended (exit code 0)') throw new Error(`${app} on SIGTERM: ${how} after ${seconds(started)} s`);
  ok('SIGTERM ends it with code 0', started);
}

interface Container {
  /** For people: as whom it runs. */
  readonly who: string;
  readonly cwd: string;
  /** The command that runs another one as the user of the image. */
  as(command: readonly string[]): string[];
  env(own: Record<string, string>): NodeJS.ProcessEnv;
  run(command: readonly string[], own: Record<string, string>): Promise<void>;
}

async function containerOf(image: BuiltImage): Promise<Container> {
  const cwd = join(image.root, image.workdir);
  const [uid = '', gid = ''] = image.user.split(':');
  const isRoot = process.getuid?.() === 0;
  // Who made the files may write them, unless they say otherwise.
  if (!isRoot) await promisify(execFile)('chmod', ['-R', 'a-w', image.root]);
  const drop = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const as = (command: readonly string[]): string[] =>
    isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...drop, ...command] : [...command];
  const env = (own: Record<string, string>): NodeJS.ProcessEnv => ({
    // Nothing is written anywhere: neither at home nor among temporary files.
    ...{ PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`, HOME: cwd, TMPDIR: cwd },
    ...image.env,
    ...own,
  });
  return {
    ...{ cwd, as, env },
    who: isRoot ? `as ${image.user}` : 'as the user who runs this, for only root can be another',
    async run(command, own) {
      const [file = '', ...args] = as(command);
      await promisify(execFile)(file, args, { cwd, env: env(own), timeout: 120_000 });
    },
  };
}

async function mustBeReadOnly({ run }: Container): Promise<void> {
  const write = "require('fs').writeFileSync('written', '')";
  const refused = await run(['node', '-e', write], {}).then(
    () => false,
    (error: { stderr?: string }) =>
      /EACCES|EROFS/.test(error.stderr ?? '') || Promise.reject(error as unknown as Error),
  );
  if (!refused) throw new Error('the image can write its own folder');
}

async function monitorPort({ env }: BuiltImage): Promise<Record<string, string>> {
  return env['MONITOR_PORT'] ? { MONITOR_PORT: String(await freePort()) } : {};
}

function seconds(started: number): string {
  return ((Date.now() - started) / 1_000).toFixed(1);
}

/** A folder of images has to be open for the users that run in it. */
export function openForEveryone(folder: string): void {
  chmodSync(folder, 0o755);
}
