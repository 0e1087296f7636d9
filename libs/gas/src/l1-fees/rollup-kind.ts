import type { ChainReads, RollupKind } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import type { MonotonicClock } from '@paymaster/turns';
import { ARB_SYS, ArbitrumFeeReader } from './arbitrum-fees';
import type { L1FeeReader } from './l1-fee-scheme';
import { GAS_PRICE_ORACLE, OpStackFeeReader } from './op-stack-fees';

interface Rollup {
  /** A chain that has code at this address is of the kind. */
  readonly sign: { readonly name: string; readonly contract: Address };
  openReader(provider: Pick<ChainReads, 'ethCall'>, clock: MonotonicClock): L1FeeReader;
}

/** Each kind of rollup: how a chain shows that it is of the kind, and who reads its fees for L1 data. */
export const ROLLUPS: Readonly<Record<Exclude<RollupKind, 'none'>, Rollup>> = {
  opStack: {
    sign: { name: 'GasPriceOracle', contract: GAS_PRICE_ORACLE },
    openReader: (provider, clock) => new OpStackFeeReader(provider, clock),
  },
  arbitrum: {
    sign: { name: 'ArbSys', contract: ARB_SYS },
    openReader: (provider, clock) => new ArbitrumFeeReader(provider, clock),
  },
};

/** chains.json names one kind and the chain is of another kind: nothing is signed for it. */
export class RollupMismatchError extends Error {
  constructor(
    chain: { readonly chainId: number; readonly rollup: RollupKind },
    readonly found: RollupKind,
  ) {
    const kind = found === 'none' ? chain.rollup : found;
    const sign = kind === 'none' ? undefined : ROLLUPS[kind].sign;
    const seen = found === 'none' ? `has no ${sign?.name}` : `has ${sign?.name}`;
    super(
      `chain ${chain.chainId} is "rollup": "${chain.rollup}" in chains.json but ${seen} at ${sign?.contract}: ` +
        `it is "${found}"`,
    );
    this.name = 'RollupMismatchError';
  }
}

/** What kind of rollup a chain is. @throws {DependencyUnavailableError} `chain`, when it cannot be read */
export async function findRollupKind(provider: Pick<ChainReads, 'code'>): Promise<RollupKind> {
  const kinds = Object.keys(ROLLUPS) as Array<keyof typeof ROLLUPS>;
  const codes = await Promise.all(kinds.map((kind) => provider.code(ROLLUPS[kind].sign.contract)));
  return kinds.find((_kind, index) => codes[index] !== '0x') ?? 'none';
}
