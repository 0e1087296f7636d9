import type { ChainReads, RollupKind } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';

/** The contract of OP stack chains that tells the price of data: a predeploy, at the same address on each chain. */
export const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000f';
/** A precompile of Arbitrum chains. Its account has code there, the one byte 0xfe. */
const ARB_SYS: Address = '0x0000000000000000000000000000000000000064';

/** The code that shows each kind of chain. */
const SIGNS: ReadonlyArray<{ readonly kind: RollupKind; readonly contract: Address; readonly name: string }> = [
  { kind: 'opStack', contract: GAS_PRICE_ORACLE, name: 'GasPriceOracle' },
  { kind: 'arbitrum', contract: ARB_SYS, name: 'ArbSys' },
];

/** chains.json names one kind and the chain is of another kind: nothing is signed for it. */
export class RollupMismatchError extends Error {
  constructor(
    chain: { readonly chainId: number; readonly rollup: RollupKind },
    readonly found: RollupKind,
  ) {
    const sign = SIGNS.find(({ kind }) => kind === (found === 'none' ? chain.rollup : found));
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
  const codes = await Promise.all(SIGNS.map(({ contract }) => provider.code(contract)));
  return SIGNS.find((_sign, index) => codes[index] !== '0x')?.kind ?? 'none';
}
