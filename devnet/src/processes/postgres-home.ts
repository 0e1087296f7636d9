import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canRead, type SystemUser } from './postgres-binaries';

/** Where one Postgres keeps its files. */
export interface PostgresHome {
  /** The data directory of Postgres itself. */
  readonly cluster: string;
  readonly passwordFile: string;
  readonly password: string;
  /** Removes everything when the home was a temporary one. */
  discard(): void;
}

/**
 * Prepares the folder and gives it to the user Postgres will run as. A temporary home begins as a copy of `template`,
 * where that exists.
 *
 * Root's Postgres runs as another user, who may be unable to enter the folder (a checkout under /root, say). The
 * cluster is then kept in a temporary folder, and the file `location` says where (`npm run reset` reads it too).
 */
export function preparePostgresHome(
  dataDir: string | undefined,
  user: SystemUser | undefined,
  template: string,
): PostgresHome {
  const wanted = dataDir ?? mkdtempSync(join(tmpdir(), 'paymaster-postgres-'));
  mkdirSync(wanted, { recursive: true });
  if (user && !dataDir) chmodSync(wanted, 0o755);
  const home = reachableHome(wanted, user);

  const cluster = join(home, 'cluster');
  if (!dataDir && existsSync(template))
    copyFiles(
      ['cluster', 'password'].map((name) => join(template, name)),
      home,
    );
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  const passwordFile = join(home, 'password');
  if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(18).toString('hex'), { mode: 0o600 });
  if (user) for (const path of [cluster, passwordFile]) chownSync(path, user.uid, user.gid);
  return {
    cluster,
    passwordFile,
    password: readFileSync(passwordFile, 'utf8'),
    discard: () => {
      if (!dataDir) rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * Keeps what was just initialised for the homes that come after it. Of two processes that do so at once, the first
 * one's is kept.
 */
export function keepAsTemplate(home: PostgresHome, template: string): void {
  mkdirSync(dirname(template), { recursive: true });
  const unfinished = mkdtempSync(`${template}.`);
  try {
    copyFiles([home.cluster, home.passwordFile], unfinished);
    renameSync(unfinished, template);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

/** With their owners, which Node's own copy does not keep. */
function copyFiles(from: readonly string[], into: string): void {
  const { status, error, stderr } = spawnSync('cp', ['-a', ...from, into], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from.join(' and ')} cannot be copied into ${into}: ${error ?? stderr}`);
}

function reachableHome(wanted: string, user: SystemUser | undefined): string {
  if (canRead(wanted, user)) return wanted;
  const note = join(wanted, 'location');
  const noted = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (noted && existsSync(noted)) return noted;
  const shelter = mkdtempSync(join(tmpdir(), 'paymaster-postgres-'));
  chmodSync(shelter, 0o755);
  writeFileSync(note, shelter);
  return shelter;
}
