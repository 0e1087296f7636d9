import type { TokenListing } from '@paymaster/domain';

/** A token that a paymaster takes beside, or in another way than, its chain's own. */
export interface Token extends TokenListing {
  readonly id: string;
  readonly paymasterId: string;
}

/** Just the listing of what may carry more. */
export function listingOf(token: TokenListing): TokenListing {
  const { address, symbol, decimals, logoUrl, price, premiumMillionths } = token;
  const { exposureCapWei, chargingWays, transferGas } = token;
  return {
    address,
    symbol,
    decimals,
    logoUrl,
    price,
    premiumMillionths,
    exposureCapWei,
    chargingWays,
    transferGas,
  };
}
