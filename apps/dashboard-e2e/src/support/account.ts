import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readStack } from '@paymaster/devnet';

const COMMAND = join(__dirname, '../../../../dist/apps/dashboard/account.js');
const run = promisify(execFile);

export interface FreshAccount {
  readonly authToken: string;
  readonly tokenId: string;
  readonly accountName: string;
}

/** Runs the account command as an operator does. */
export async function accountCommand(...args: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: readStack().databaseUrl };
  const { stdout } = await run(process.execPath, [COMMAND, ...args], { env });
  return stdout;
}

/** An account of its own for a test, made through the command. */
export async function freshAccount(): Promise<FreshAccount> {
  const output = await accountCommand('create', '--json', '--name', `e2e ${randomUUID()}`);
  return JSON.parse(output) as FreshAccount;
}
