import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findRollupKind, parseChains } from '@paymaster/chain';
import { CANONICAL_ENTRY_POINTS, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
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
  chains: Array<Record<string, unknown> & { chainId: number; entryPoints: Record<string, unknown> }>;
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
  if (known) known.entryPoints[version] = ours;
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
  parseChains(structuredClone(content), file);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
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
