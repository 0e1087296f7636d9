import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import type { Token } from '../support/tokens';
import type { Operation } from './operations';

const CLIENTS = join(__dirname, '../../clients');

/** What a client is to do: have one account land operations, one after the other. */
export interface ClientJob {
  readonly id: string;
  readonly account: string;
  readonly version: EntryPointVersion;
  readonly mode: 'sponsored' | 'token';
  readonly paymasterUrl: string;
  /** Where the client names a policy. */
  readonly policyId: string | undefined;
  readonly operations: readonly Operation[];
}

export type ClientOutcome =
  | { readonly returned: { readonly userOpHash: Hex; readonly sender: Hex } }
  | { readonly thrown: { readonly message: string; readonly code?: number } };

/** What became of an operation of a job. */
export type PlayedOperation = { readonly id: string; readonly operation: Operation } & ClientOutcome;

export interface ClientWorld {
  readonly stack: Stack;
  readonly token: Token;
  /** A contract that mints NFTs for everybody. */
  readonly nft: Hex;
}

/** Has a client do its jobs, in a process of its own with its own dependencies: the outcomes, as they came. */
export async function runClient(
  driver: string,
  { stack, token, nft }: ClientWorld,
  { jobs, withinMs }: { jobs: readonly ClientJob[]; withinMs: number },
): Promise<readonly PlayedOperation[]> {
  const child = spawn(process.execPath, [driver], { cwd: CLIENTS, stdio: 'pipe', timeout: withinMs });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  // No key and no password of the world is a client's business.
  const { chainId, chainRpc, bundler, entryPoints, paymasters, demoContract } = stack;
  const world = { stack: { chainId, chainRpc, bundler, entryPoints, paymasters, demoContract }, token, nft };
  child.stdin.end(JSON.stringify({ world, jobs }));
  await new Promise((resolve) => child.once('close', resolve));
  // Clients print log lines of their own.
  const outcomes = output.split('\n').filter((line) => line.startsWith('{"id":'));
  const played = outcomes.map((line) => JSON.parse(line) as PlayedOperation);
  const missing = jobs.find(
    ({ id, operations }) => operations.length !== played.filter((each) => each.id === id).length,
  );
  if (missing) throw new Error(`${driver} said nothing of ${missing.id}: ${errors || output}`);
  return played;
}
