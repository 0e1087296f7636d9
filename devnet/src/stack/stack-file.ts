import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from '@paymaster/domain';
import type { PerVersion } from '../chain/canonical-contracts';
import type { DevKeys } from '../chain/dev-keys';
import type { DemoFeeds } from '../chain/price-feeds';

/** What `.local/stack.json` says of the local world; tests and tools read nothing else. */
export interface Stack {
  /** Base URL of the gateway, without a path. */
  readonly paymasterRpc: string;
  /** Base URL of the gateway's health and metrics. */
  readonly paymasterRpcMonitor: string;
  /** Base URL of the dashboard, without a path. */
  readonly dashboard: string;
  /** Base URL of settlement, for health and metrics. */
  readonly settlement: string;
  readonly chainId: number;
  readonly chainRpc: string;
  readonly bundler: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly entryPoints: PerVersion<Hex>;
  readonly paymasters: PerVersion<Hex>;
  readonly accountFactories: PerVersion<Hex>;
  /** Tokens that every paymaster of the chain takes fees in; anybody may mint them. */
  readonly tokens: readonly StackToken[];
  /** Chainlink-shaped feeds in USD, by symbol, the coin's too; they say whatever anybody tells them. */
  readonly feeds: DemoFeeds;
  /** A price API of CoinGecko's shape; a PUT at its control URL makes it misbehave (`controlPriceServer`). */
  readonly priceServer: { readonly url: string; readonly controlUrl: string };
  /** The file of the mails that the dashboard sent. */
  readonly mailLog: string;
  /** A call that the seeded paymaster sponsors. */
  readonly demoContract: { readonly address: Hex; readonly callData: Hex };
  readonly authToken: string;
  readonly paymaster: SeededPaymaster;
  readonly devKeys: DevKeys;
}

export interface StackToken {
  readonly symbol: string;
  readonly address: Hex;
  readonly decimals: number;
}

export interface SeededPaymaster {
  readonly name: string;
  readonly apiKey: string;
  readonly paymasterId: string;
  readonly fundingWallet: Hex;
}

const WORKSPACE = join(__dirname, '../../..');

/** The folder of the local world that `npm start` keeps. */
export const DEFAULT_DATA_DIR = join(WORKSPACE, '.local');

/** The file named by STACK_FILE, else the one of `npm start`. */
export function stackFile(): string {
  return process.env['STACK_FILE'] ?? join(DEFAULT_DATA_DIR, 'stack.json');
}

/** @throws when there is none, saying how to get one */
export function readStack(file = stackFile()): Stack {
  const stack = readStackIfAny(file);
  if (stack) return stack;
  throw new Error(
    `${file} does not exist: start the local world with \`npm start\`, or name its file with STACK_FILE.`,
  );
}

export function readStackIfAny(file: string): Stack | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stack) : undefined;
}

/** Replaces the file in one step, readable by its owner only: it holds keys. */
export function writeStack(file: string, stack: Stack): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
