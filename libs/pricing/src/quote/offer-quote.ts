import { doubleAtLeast } from './double-at-least';
import type { TokenQuote } from './quote-token';

/** A quote as the client sees it, and the charge that it promises. */
export interface OfferedQuote extends TokenQuote {
  /** Whole tokens, a JSON number; never below the exact charge. */
  readonly maxGasFee: number;
  /**
   * The amount that clients approve after they have seen it: `ceil(maxGasFee * 10^decimals)` base units, at least the
   * charge.
   */
  readonly ceilingBaseUnits: bigint;
}

/**
 * Rounds the fee up, only here, to a number that clients can read. So the fee that clients see equals the fee that is
 * promised.
 */
export function offerQuote(quote: TokenQuote): OfferedQuote {
  const { decimals } = quote.token;
  const maxGasFee = doubleAtLeast(quote.maxChargeBaseUnits, decimals);
  return { ...quote, maxGasFee, ceilingBaseUnits: BigInt(Math.ceil(maxGasFee * 10 ** decimals)) };
}
