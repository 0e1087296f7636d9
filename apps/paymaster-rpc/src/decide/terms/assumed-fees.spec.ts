import { checkGasBounds } from '@paymaster/policy';
import type { Caller } from '../../callers/caller';
import { feesWithinBounds } from './assumed-fees';

interface Market {
  readonly baseFeeWei: bigint;
  readonly highestTipWei: bigint;
  readonly feePercent?: bigint;
}

function chainOf({ baseFeeWei, highestTipWei, feePercent = 500n }: Market) {
  const bounds = { feeFloorWei: 0n, maxFeePercentOfBaseFee: feePercent };
  const head = { baseFeePerGasWei: () => baseFeeWei };
  const fees = { maxPriorityFeePerGasWei: () => highestTipWei };
  return { chain: { head, fees, config: { bounds } } } as unknown as Pick<Caller, 'chain'>;
}

describe('feesWithinBounds', () => {
  it('are those wanted where the bounds allow them', () => {
    const fees = feesWithinBounds(chainOf({ baseFeeWei: 10n, highestTipWei: 9n }), {
      tipWei: 3n,
      baseFeePercent: 200n,
    });
    expect(fees).toEqual({ maxFeePerGas: 23n, maxPriorityFeePerGas: 3n });
  });

  it.each<[string, Market]>([
    ['tips are bounded', { baseFeeWei: 10n, highestTipWei: 2n }],
    ['no tip is allowed', { baseFeeWei: 10n, highestTipWei: 0n }],
    ['the maximum fee is bounded', { baseFeeWei: 10n, highestTipWei: 9n, feePercent: 120n }],
    ['there is no base fee', { baseFeeWei: 0n, highestTipWei: 2n }],
    ['nothing costs anything', { baseFeeWei: 0n, highestTipWei: 0n }],
    ['the base fee is one wei', { baseFeeWei: 1n, highestTipWei: 1n, feePercent: 100n }],
  ])('are fees that pass where %s', (_title, market) => {
    const fees = feesWithinBounds(chainOf(market), { tipWei: 1_000n, baseFeePercent: 200n });
    const verdict = checkGasBounds({
      ...fees,
      limits: { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n },
      handWrittenVerificationGas: 0n,
      ...{ maxPreVerificationGas: 0n, baseFeePerGas: market.baseFeeWei, maxPriorityFeePerGasWei: market.highestTipWei },
      allowEqualFees: false,
      bounds: {
        ...{ maxCallGasLimit: 0n, maxVerificationGasLimit: 0n, feeFloorWei: 0n },
        maxFeePercentOfBaseFee: market.feePercent ?? 500n,
      },
    });
    expect(verdict).toMatchObject({ allowed: true });
  });
});
