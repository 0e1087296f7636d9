import {
  AgreedChain,
  BlockSource,
  type AgreedChainOptions,
  type ChainConfig,
  type MonotonicClock,
} from '@paymaster/chain';
import type { ChainSource } from './chain-source';

/**
 * A chain read through all its providers, more than half of which must agree.
 *
 * @param onFault hears of providers that fail, lag or contradict the others; hosts only
 * @param options `callTimeoutMs` and `totalTimeoutMs`: how long providers may take, where it is not the usual; `clock`: by
 * which quiet stretches wait to be confirmed
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
    providers: () => chain.status(),
  };
}
