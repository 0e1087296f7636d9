import { PREMIUM_DENOMINATOR, tokenChargeBaseUnits, type TokenListing } from '@paymaster/domain';
import { priceUnavailable } from '../price-unavailable.error';
import type { TokenRate } from '../token-rates';
import { MAX_UINT192 } from '../usd/exchange-rate';

/** What an operation costs at most in a token, exactly. */
export interface TokenQuote {
  readonly token: TokenListing;
  /** Token base units per 1e18 wei, without the premium, as it is signed. */
  readonly exchangeRate: bigint;
  /** As it is signed: 1_000_000 for none. */
  readonly premiumMillionths: bigint;
  readonly maxCostWei: bigint;
  /** The most the sender pays; base units, rounded up, above zero, premium included. */
  readonly maxChargeBaseUnits: bigint;
  /** USD per whole token, times 1e36. */
  readonly tokenUsdE36: bigint;
}

/**
 * Prices an operation in a token.
 *
 * @param maxCostWei the most the operation can cost, its markup included
 * @throws {PriceUnavailableError} RATE_OUT_OF_RANGE when the charge does not fit the 192 bits it is signed in
 */
export function quoteToken(input: { token: TokenListing; rate: TokenRate; maxCostWei: bigint }): TokenQuote {
  const { token, rate, maxCostWei } = input;
  const premiumMillionths = PREMIUM_DENOMINATOR + BigInt(token.premiumMillionths);
  const charge = tokenChargeBaseUnits({ costWei: maxCostWei, exchangeRate: rate.exchangeRate, premiumMillionths });
  if (charge > MAX_UINT192) throw priceUnavailable(token, 'RATE_OUT_OF_RANGE');
  return {
    token,
    exchangeRate: rate.exchangeRate,
    premiumMillionths,
    maxCostWei,
    // The contract takes no ceiling of zero, which an operation without fees would have.
    maxChargeBaseUnits: charge > 0n ? charge : 1n,
    tokenUsdE36: rate.tokenUsdE36,
  };
}
