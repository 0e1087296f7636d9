import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './run.mjs';
import { say } from './steps.mjs';

const MEMORY = '/dev/shm';
/** A whole run takes some six GiB of memory, and its temporary files are one of them. */
const ROOM_BYTES = 8 * 2 ** 30;

/**
 * Gives everything that is started from here one folder for temporary files, in memory where that has room: tests make
 * and delete so many databases that the file system of a disk takes a tenth of two cores. The folder is removed at the
 * end; when a test failed or the run was ended, it stays until the next run begins.
 *
 * @template {{ failed: number }} T
 * @param {() => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withTemporaryFiles(use) {
  const home = memoryHasRoom() ? MEMORY : tmpdir();
  const prefix = `paymaster-test-${process.getuid?.() ?? ''}-`;
  const folderOf = (pid) => join(home, `${prefix}${pid}`);
  const pids = readdirSync(home).flatMap((name) => (name.startsWith(prefix) ? Number(name.slice(prefix.length)) : []));
  for (const pid of pids)
    if (pid === process.pid || !isAlive(pid)) rmSync(folderOf(pid), { recursive: true, force: true });

  const folder = folderOf(process.pid);
  mkdirSync(folder);
  // Root's Postgres runs as another user.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  const result = await use();
  if (result.failed === 0) rmSync(folder, { recursive: true, force: true });
  else say(`\nUntil the next run begins, temporary files and logs of the tests are in ${folder}`);
  return result;
}

/** No, where no program may be started from there (`noexec`), as in most containers. */
function memoryHasRoom() {
  if (!existsSync(MEMORY) || !existsSync('/proc/mounts')) return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).findLast(([, path]) => path === MEMORY)?.[3] ?? 'noexec';
  const { bavail, bsize } = statfsSync(MEMORY);
  return !options.split(',').includes('noexec') && Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
}
