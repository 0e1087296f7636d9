import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseChains } from '@paymaster/chain';
import {
  CANONICAL_ENTRY_POINTS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { findRollupKind } from '@paymaster/gas';
import { UsageError } from './command-line';
import type { OperatorChain } from './operator-chain';

/** Blocks that the time between two is taken from. */
const LOOK_BACK = 100;
/** A head older than this many block times means that the chain stands still. */
const HALTED_AFTER_BLOCKS = 10;
const LEAST_HEAD_AGE_SECONDS = 60;
/** Of anvil and its like, where nobody else pays fees that the gateway could go by. */
const DEVELOPMENT_CHAIN_ID = 31_337;

interface ChainsFile {
  chains: Array<Record<string, unknown> & { chainId: number; entryPoints: Record<string, Contracts> }>;
}

/** The contracts of one EntryPoint. */
interface Contracts {
  entryPoint: string;
  paymaster: string;
  nextPaymaster?: string;
  drainingPaymasters?: string[];
}

/** One EntryPoint of one chain of a file. */
interface EntryOf {
  readonly file: string;
  readonly chainId: number;
  readonly version: EntryPointVersion;
}

/** What the operator's chains.json says of a contract. */
export type ContractRole = 'signedFor' | 'next' | 'draining';

/** What chains.json says of a contract; undefined when it names no contract of that EntryPoint, or only others. */
export function roleOf(entry: EntryOf, paymaster: Address): { role: ContractRole | undefined; isServed: boolean } {
  const { contracts } = findContracts(entry);
  if (!contracts) return { role: undefined, isServed: false };
  const is = (other: string | undefined) => other !== undefined && normalizeAddress(other) === paymaster;
  const role = is(contracts.paymaster) ? 'signedFor' : is(contracts.nextPaymaster) ? 'next' : undefined;
  return { role: role ?? (contracts.drainingPaymasters?.some(is) ? 'draining' : undefined), isServed: true };
}

/**
 * Names the contract that takes the place of the one that is signed for, before it is deployed: settlement has to
 * follow it from its first deposit on.
 *
 * @throws {UsageError} when another one is named already
 */
export function writeNextPaymaster(entry: EntryOf, paymaster: Address): void {
  const { content, contracts } = findContracts(entry);
  if (contracts?.nextPaymaster !== undefined) {
    throw new UsageError(`--chains-file: ${entry.file} names another nextPaymaster, ${contracts.nextPaymaster}`);
  }
  if (contracts) contracts.nextPaymaster = paymaster;
  write(entry.file, content);
}

/**
 * Lets operations be signed for another contract that the file names. The one they were signed for drains from then
 * on. The set of contracts that settlement follows stays as it is.
 */
export function writeSwitch(entry: EntryOf, paymaster: Address): void {
  const { content, contracts } = findContracts(entry);
  if (!contracts) throw new UsageError(`--chains-file: ${entry.file} does not serve EntryPoint v${entry.version}`);
  const draining = [contracts.paymaster, ...(contracts.drainingPaymasters ?? [])];
  contracts.paymaster = paymaster;
  contracts.drainingPaymasters = draining.filter((each) => normalizeAddress(each) !== paymaster);
  if (contracts.nextPaymaster !== undefined && normalizeAddress(contracts.nextPaymaster) === paymaster)
    delete contracts.nextPaymaster;
  write(entry.file, content);
}

function findContracts({ file, chainId, version }: EntryOf): { content: ChainsFile; contracts: Contracts | undefined } {
  const content = readChains(file);
  return { content, contracts: content.chains.find((chain) => chain.chainId === chainId)?.entryPoints[version] };
}

function write(file: string, content: ChainsFile): void {
  parseChains(structuredClone(content), file);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Writes a deployed contract into the operator's chains.json: into the chain that is there, or as a new one with
 * careful defaults. Checked with the loader that the apps use, and written only when it passes.
 *
 * @throws {UsageError} when the file is there and is none
 */
export async function writeChainsEntry(
  chain: OperatorChain,
  entry: {
    file: string;
    rpcUrl: string;
    bundlerUrl: string;
    version: EntryPointVersion;
    paymaster: Address;
    /** Where settlement begins; the block of the deployment. */
    startBlock: number;
  },
): Promise<void> {
  const { file, version, paymaster, startBlock } = entry;
  const content = readChains(file);
  const ours = { entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster };
  const known = content.chains.find(({ chainId }) => chainId === chain.chainId);
  if (known) known.entryPoints[version] = { ...known.entryPoints[version], ...ours };
  else {
    const blockTimeSeconds = await blockTime(chain);
    content.chains.push({
      chainId: chain.chainId,
      name: `chain ${chain.chainId}`,
      rpcUrls: [entry.rpcUrl],
      bundlerUrl: entry.bundlerUrl,
      entryPoints: { [version]: ours },
      rollup: await findRollupKind({ code: async (address) => (await chain.provider.getCode(address)) as Hex }),
      blockTimeSeconds,
      maxHeadAgeSeconds: Math.max(LEAST_HEAD_AGE_SECONDS, blockTimeSeconds * HALTED_AFTER_BLOCKS),
      finality: { tag: 'finalized' },
      startBlock,
      ...(chain.chainId === DEVELOPMENT_CHAIN_ID && { bounds: { feeFloorWei: await feeFloorWei(chain) } }),
    });
  }
  write(file, content);
}

function readChains(file: string): ChainsFile {
  if (!existsSync(file)) return { chains: [] };
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as ChainsFile;
    if (Array.isArray(content.chains)) return content;
  } catch {
    // Said below.
  }
  throw new UsageError(`--chains-file: ${file} is no chains.json`);
}

/** Twice the tip that the node suggests, as wallets send it; wei per gas. */
async function feeFloorWei({ provider }: OperatorChain): Promise<string> {
  const { maxPriorityFeePerGas } = await provider.getFeeData();
  return (2n * (maxPriorityFeePerGas ?? 0n)).toString();
}

/** Seconds between two blocks, lately; at least 1. */
async function blockTime({ provider }: OperatorChain): Promise<number> {
  const newest = await provider.getBlock('latest');
  const earlier = newest && (await provider.getBlock(Math.max(0, newest.number - LOOK_BACK)));
  if (!newest || !earlier || newest.number === earlier.number) return 1;
  return Math.max(1, Math.round((newest.timestamp - earlier.timestamp) / (newest.number - earlier.number)));
}
