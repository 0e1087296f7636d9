import { randomUUID } from 'node:crypto';
import { DashboardClient, readStack } from '@paymaster/devnet';
import { accountCommands } from './account-commands';

export interface EmptyPaymaster {
  readonly account: string;
  /** Of the paymaster. */
  readonly name: string;
  readonly client: DashboardClient;
  readonly apiKey: string;
}

/** An account of its own with a paymaster that has nothing yet. */
export async function emptyPaymaster(): Promise<EmptyPaymaster> {
  const { databaseUrl, dashboard, chainId } = readStack();
  const account = `e2e page ${randomUUID()}`;
  const env = { DATABASE_URL: databaseUrl };
  const { authToken } = await accountCommands.ask<{ authToken: string }>(env, 'create', '--name', account);
  const client = new DashboardClient(dashboard, authToken);
  const name = `Empty ${randomUUID()}`;
  const body = { name, type: 'HYBRID', chainId, version: '2.0.0' } as const;
  const { apiKey } = await client.call('post', '/paymaster', { body });
  return { account, name, client, apiKey };
}
