import { eachField, type FieldTable, type ValuesOf } from './fields';
import type { Address } from './hex';
import type { PriceReference } from './price-sources';
import { CHARGING_WAYS } from './token';

/** What browsers may load as a logo: an https URL as RFC 3986 writes it, of at most 2,048 characters. */
export const LOGO_URL_PATTERN = /^https:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]{1,2040}$/;

/**
 * What an owner says of a token beside its price, each field declared once: from here come the types, what the
 * dashboard takes, shows and stores, its API document, what token lists may say, and what travels to the gateway.
 */
export const TOKEN_TERMS = {
  logoUrl: { kind: 'logo', standard: null, says: 'An https URL.' },
  premiumMillionths: {
    kind: 'premium',
    writtenAs: 'premiumPercentage',
    standard: 100_000,
    says: 'On top of the price; 0 to 100, at most 4 decimals. A new token has 10 where none is sent.',
  },
  exposureCapWei: {
    kind: 'wei',
    standard: null,
    says: 'Cap on what is outstanding in way batchApproval, in wei, decimal digits; null for the chain’s default.',
  },
  chargingWays: {
    kind: 'ways',
    standard: CHARGING_WAYS,
    says: 'At least one, each once. A new token has all where none is sent.',
  },
} as const satisfies FieldTable;

export type TokenTerms = ValuesOf<typeof TOKEN_TERMS>;

/** A token that fees can be paid in. */
export interface TokenListing extends TokenTerms {
  readonly address: Address;
  readonly symbol: string;
  /** 0 to {@link MAX_TOKEN_DECIMALS}, as the contract says. */
  readonly decimals: number;
  readonly price: PriceReference;
  /** Upper bound on one `transfer` or `transferFrom`; gas. */
  readonly transferGas: number;
}

/** Just the listing of what may carry more. */
export function listingOf(token: TokenListing): TokenListing {
  const { address, symbol, decimals, price, transferGas } = token;
  const terms = eachField(TOKEN_TERMS, (_field, name) => token[name]) as TokenTerms;
  return { address, symbol, decimals, price, transferGas, ...terms };
}
