import { ceilDiv } from '@paymaster/domain';
import { pow10 } from './pow10';

/** The contract signs the rate, and the most a sender pays, in 24 bytes (docs/architecture/paymaster-data.md). */
export const MAX_UINT192 = 2n ** 192n - 1n;

/**
 * Token base units per 1e18 wei, rounded up: `ceil(10^decimals * nativeUsd / tokenUsd)`.
 *
 * @returns undefined when the rate does not fit the 192 bits it is signed in; prices must be above zero
 */
export function exchangeRate(input: {
  tokenDecimals: number;
  tokenUsdE36: bigint;
  nativeUsdE36: bigint;
}): bigint | undefined {
  const rate = ceilDiv(pow10(input.tokenDecimals) * input.nativeUsdE36, input.tokenUsdE36);
  return rate > MAX_UINT192 ? undefined : rate;
}
