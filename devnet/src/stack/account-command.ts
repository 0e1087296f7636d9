import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { builtFile } from './applications';

/** Runs the operator's command for accounts, which needs the database and no running service. @returns its JSON */
export async function accountCommand<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [builtFile('dashboard', 'account.js'), ...args, '--json'],
    { env: { ...process.env, ...env } },
  );
  return JSON.parse(stdout) as T;
}
