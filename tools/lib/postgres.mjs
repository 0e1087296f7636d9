import { spawn } from 'node:child_process';
import { CommandFailed, ROOT, TYPESCRIPT } from './run.mjs';

/**
 * Starts a Postgres, hands over what tells test files to make their databases in it, and ends it, whatever happens.
 *
 * @template T
 * @param {(env: { TEST_POSTGRES_URL: string }) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withPostgres(use) {
  const server = spawn(process.execPath, [...TYPESCRIPT, 'devnet/src/serve-postgres.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // Not 'close', which does not come where this side ends the channel.
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const ready = new Promise((resolve) => server.once('message', resolve));
  const early = ended.then(() => Promise.reject(new CommandFailed('Postgres did not come up.')));
  try {
    const { url } = await Promise.race([ready, early]);
    return await use({ TEST_POSTGRES_URL: url });
  } finally {
    if (server.connected) server.disconnect();
    await ended;
    early.catch(() => undefined);
  }
}
