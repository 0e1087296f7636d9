import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { builtFile, DashboardClient, readStack } from '@paymaster/devnet';

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
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [builtFile('dashboard', 'account.js'), 'create', '--name', account, '--json'],
    { env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  const client = new DashboardClient(dashboard, (JSON.parse(stdout) as { authToken: string }).authToken);
  const name = `Empty ${randomUUID()}`;
  const body = { name, type: 'HYBRID', chainId, version: '2.0.0' } as const;
  const { apiKey } = await client.call('post', '/paymaster', { body });
  return { account, name, client, apiKey };
}
