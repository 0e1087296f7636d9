import {
  AgreedChain,
  BlockSource,
  bundledOperation,
  type AgreedChainOptions,
  type ChainConfig,
} from '@paymaster/chain';
import { NO_DEADLINE, type MonotonicClock } from '@paymaster/turns';
import type { ChainSource } from './chain-source';

/**
 * Opens a chain that is read through all its providers. More than half of them must agree.
 *
 * @param onFault called when a provider fails, lags or contradicts the others; it is named by its host
 * @param options `callTimeoutMs` and `totalTimeoutMs`: how long providers may take, in place of the defaults; `clock`:
 *   the clock by which quiet stretches wait for their second read
 */
export function openChainSource(
  config: ChainConfig,
  onFault: (error: Error) => void,
  {
    clock,
    ...patience
  }: Pick<AgreedChainOptions, 'callTimeoutMs' | 'totalTimeoutMs'> & { readonly clock?: MonotonicClock } = {},
): ChainSource {
  const chain = new AgreedChain(config, { ...patience, onFault });
  const blocks = new BlockSource(chain, config, { onFault, ...(clock && { clock }) });
  return {
    head: () => blocks.head(),
    isNewest: (head) => blocks.isNewest(head),
    final: () => blocks.final(),
    header: (number) => blocks.header(number),
    blocks: (from, to) => blocks.blocks(from, to),
    stretch: (look) => blocks.stretch(look),
    lookBack: () => blocks.lookBack(),
    doubt: (stretches) => blocks.doubt(stretches),
    certainUpTo: () => blocks.certainUpTo,
    callAt: (blockHash, call) => chain.callAt(blockHash, call),
    bundled: (landed) => bundledOperation(asker(chain), { ...landed, deadlineMs: NO_DEADLINE }),
    providers: () => chain.status(),
  };
}

/** Asks as a single provider is asked, and answers what enough providers agree on. */
function asker(chain: AgreedChain): Parameters<typeof bundledOperation>[0] {
  return {
    ask: (method, params, parse) => chain.read({ method, params, parse, key: (value) => JSON.stringify(value, text) }),
  };
}

const text = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
