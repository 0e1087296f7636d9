import { ceilDiv, PREMIUM_DENOMINATOR, type TokenListing } from '@paymaster/domain';
import { PriceUnavailableError, type TokenRate } from '@paymaster/pricing';
import type { EnabledTokenMode } from './enabled-token-mode';

/** A token with a price. */
export interface PricedToken {
  readonly token: TokenListing;
  readonly rate: TokenRate;
  /** Token base units per 1e18 wei, the premium included, rounded up. */
  readonly exchangeRateWithPremium: bigint;
}

/** The paymaster's tokens that have a price now. */
export function listTokens({ registry, tokens }: EnabledTokenMode): readonly PricedToken[] {
  return [...registry.byAddress.values()].flatMap(({ listing }) => {
    try {
      const rate = tokens.prices.rateOf(listing);
      const premium = PREMIUM_DENOMINATOR + BigInt(listing.premiumMillionths);
      const exchangeRateWithPremium = ceilDiv(rate.exchangeRate * premium, PREMIUM_DENOMINATOR);
      return { token: listing, rate, exchangeRateWithPremium };
    } catch (error) {
      if (error instanceof PriceUnavailableError) return [];
      throw error;
    }
  });
}
