import { PREMIUM_DENOMINATOR, tokenChargeBaseUnits, type TokenListing } from '@paymaster/domain';
import { priceUnavailable } from '../sources/price-unavailable.error';
import type { TokenRate } from '../book/token-rates';
import { MAX_UINT192 } from '../usd/exchange-rate';

/** A rate and its premium, as they are signed. */
export interface SignedRate {
  /** Token base units per 1e18 wei, without the premium. */
  readonly exchangeRate: bigint;
  /**
   * The factor on the price: 1_000_000 for no premium, 1_100_000 for 10 %. (`premiumMillionths` of a
   * {@link TokenListing} is 100_000 then.)
   */
  readonly premiumMillionths: bigint;
}

/** The most that an operation costs in a token, exactly, and the rate of that amount. */
export interface TokenQuote extends SignedRate {
  readonly token: TokenListing;
  readonly maxCostWei: bigint;
  /** The most the sender pays; base units, rounded up, above zero, premium included. */
  readonly maxChargeBaseUnits: bigint;
  /** USD per whole token, times 1e36. */
  readonly tokenUsdE36: bigint;
}

/** The current rate, and the premium of the token. */
export function priceOfNow(token: TokenListing, { exchangeRate }: TokenRate): SignedRate {
  return { exchangeRate, premiumMillionths: PREMIUM_DENOMINATOR + BigInt(token.premiumMillionths) };
}

/**
 * Prices an operation in a token.
 *
 * @param maxCostWei the most the operation can cost, its markup included
 * @param signed the rate to sign, if it is not the current rate
 * @throws {PriceUnavailableError} RATE_OUT_OF_RANGE when the charge does not fit the 192 bits it is signed in
 */
export function quoteToken(input: {
  token: TokenListing;
  rate: TokenRate;
  maxCostWei: bigint;
  signed?: SignedRate;
}): TokenQuote {
  const { token, rate, maxCostWei, signed = priceOfNow(token, rate) } = input;
  const { exchangeRate, premiumMillionths } = signed;
  const charge = tokenChargeBaseUnits({ costWei: maxCostWei, exchangeRate, premiumMillionths });
  if (charge > MAX_UINT192) throw priceUnavailable(token, 'RATE_OUT_OF_RANGE');
  return {
    token,
    exchangeRate,
    premiumMillionths,
    maxCostWei,
    // The contract does not accept a ceiling of zero, which an operation without fees would have.
    maxChargeBaseUnits: charge > 0n ? charge : 1n,
    tokenUsdE36: rate.tokenUsdE36,
  };
}
