import { randomUUID } from 'node:crypto';
import { AccountCommands, readStack } from '@paymaster/devnet';

const commands = new AccountCommands();

export interface FreshAccount {
  readonly authToken: string;
  readonly tokenId: string;
  readonly accountName: string;
}

/** Runs the account command as an operator does. */
export function accountCommand(...args: string[]): Promise<string> {
  return commands.run({ DATABASE_URL: readStack().databaseUrl }, ...args);
}

/** An account of its own for a test, made through the command. */
export async function freshAccount(): Promise<FreshAccount> {
  const output = await accountCommand('create', '--json', '--name', `e2e ${randomUUID()}`);
  return JSON.parse(output) as FreshAccount;
}
