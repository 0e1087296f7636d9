import { ceilDiv, PREMIUM_DENOMINATOR, type TokenListing } from '@paymaster/domain';
import { PriceUnavailableError } from '@paymaster/pricing';
import type { EnabledTokenMode } from './enabled-token-mode';

/** A token with a price. */
export interface PricedToken {
  readonly token: TokenListing;
  /** Token base units per 1e18 wei, the premium included, rounded up. */
  readonly exchangeRateWithPremium: bigint;
}

/** The paymaster's tokens that have a price now. */
export function listTokens({ registry, tokens }: EnabledTokenMode): readonly PricedToken[] {
  return [...registry.byAddress.values()].flatMap(({ listing }) => {
    try {
      const { exchangeRate } = tokens.prices.rateOf(listing);
      const premium = PREMIUM_DENOMINATOR + BigInt(listing.premiumMillionths);
      const exchangeRateWithPremium = ceilDiv(exchangeRate * premium, PREMIUM_DENOMINATOR);
      return { token: listing, exchangeRateWithPremium };
    } catch (error) {
      if (error instanceof PriceUnavailableError) return [];
      throw error;
    }
  });
}
