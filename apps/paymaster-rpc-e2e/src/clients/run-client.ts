import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import type { Token } from '../support/tokens';

const CLIENTS = join(__dirname, '../../clients');
const NO_ANSWER_MS = 240_000;

/** What a client is to do: land one operation. */
export interface ClientJob {
  readonly id: string;
  readonly account: string;
  readonly version: EntryPointVersion;
  readonly mode: 'sponsored' | 'token';
  readonly paymasterUrl: string;
  /** Where the client names a policy. */
  readonly policyId: string | undefined;
}

export type ClientOutcome =
  | { readonly returned: { readonly userOpHash: Hex; readonly sender: Hex } }
  | { readonly thrown: { readonly message: string; readonly code?: number } };

/** Has a client do its jobs, in a process of its own with its own dependencies: the outcome of each, by its id. */
export async function runClient(
  driver: string,
  { stack, token, jobs }: { stack: Stack; token: Token; jobs: readonly ClientJob[] },
): Promise<ReadonlyMap<string, ClientOutcome>> {
  const child = spawn(process.execPath, [driver], { cwd: CLIENTS, stdio: 'pipe', timeout: NO_ANSWER_MS });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  // No key and no password of the world is a client's business.
  const { chainId, chainRpc, bundler, entryPoints, paymasters, demoContract } = stack;
  const world = { stack: { chainId, chainRpc, bundler, entryPoints, paymasters, demoContract }, token };
  child.stdin.end(JSON.stringify({ world, jobs }));
  await new Promise((resolve) => child.once('close', resolve));
  // Clients print log lines of their own.
  const outcomes = output.split('\n').filter((line) => line.startsWith('{"id":'));
  const parsed = outcomes.map((line) => JSON.parse(line) as { id: string } & ClientOutcome);
  const missing = jobs.find(({ id }) => !parsed.some((outcome) => outcome.id === id));
  if (missing) throw new Error(`${driver} said nothing of ${missing.id}: ${errors || output}`);
  return new Map(parsed.map(({ id, ...outcome }) => [id, outcome as ClientOutcome]));
}
