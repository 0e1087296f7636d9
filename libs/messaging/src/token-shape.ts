import {
  CHARGING_WAYS,
  MAX_TOKEN_DECIMALS,
  NATIVE_PSEUDO_ADDRESS,
  ZERO_ADDRESS,
  type PriceFeed,
  type PriceReference,
  type TokenListing,
} from '@paymaster/domain';
import {
  both,
  integer,
  isAddress,
  isWei,
  listOf,
  matching,
  oneOf,
  orNull,
  record,
  text,
  withoutTwins,
  type Check,
} from './checks';

/** A token on the wire: wei as decimal string. */
export type TokenListingMessage = Omit<TokenListing, 'exposureCapWei'> & { readonly exposureCapWei: string | null };

/**
 * How many tokens one snapshot may hold. With the other bounds of this file they take 150 kB at most, so that a
 * snapshot with the most selectors that can be configured still fits into one NATS message of 1 MiB.
 */
export const MAX_SNAPSHOT_TOKENS = 50;
export const MAX_SYMBOL_LENGTH = 64;
export const MAX_FEED_HEARTBEAT_SECONDS = 604_800;
export const MAX_PREMIUM_MILLIONTHS = 1_000_000;

/** USD per whole unit: above zero, at most 18 digits before the point and 18 behind it. */
export const FIXED_USD_PATTERN = /^(?=.*[1-9])(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

/** An https URL as RFC 3986 writes it, of at most 2,048 characters. */
export const LOGO_URL_PATTERN = /^https:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]{1,2040}$/;

/** An id for the price API: no character that could end its place in a query. */
export const API_ID_PATTERN = /^[A-Za-z0-9._-]{1,100}$/;

/** No block has room for a transfer that needs more gas. */
const MAX_TRANSFER_GAS = 30_000_000;

/** Neither of the two addresses that mean "no token". */
export const isTokenAddress: Check = (value) =>
  isAddress(value) && value !== ZERO_ADDRESS && value !== NATIVE_PSEUDO_ADDRESS;

const FEED: Readonly<Record<keyof PriceFeed, Check>> = {
  address: isAddress,
  heartbeatSeconds: integer(1, MAX_FEED_HEARTBEAT_SECONDS),
};

const PRICE: Readonly<Record<keyof PriceReference, Check>> = {
  feed: orNull(record(FEED)),
  apiId: orNull(matching(API_ID_PATTERN)),
  fixedUsd: orNull(matching(FIXED_USD_PATTERN)),
};

const namesASource: Check = (value) =>
  Object.keys(PRICE).some((key) => (value as Record<string, unknown>)[key] !== null);

const TOKEN: Readonly<Record<keyof TokenListingMessage, Check>> = {
  address: isTokenAddress,
  symbol: text(1, MAX_SYMBOL_LENGTH),
  decimals: integer(0, MAX_TOKEN_DECIMALS),
  logoUrl: orNull(matching(LOGO_URL_PATTERN)),
  price: both(record(PRICE), namesASource),
  premiumMillionths: integer(0, MAX_PREMIUM_MILLIONTHS),
  exposureCapWei: orNull(isWei),
  chargingWays: withoutTwins(listOf(oneOf(CHARGING_WAYS))),
  transferGas: integer(1, MAX_TRANSFER_GAS),
};

/** The tokens of a snapshot: bounded in number, each address once. */
export const areTokens: Check = (value) => {
  if (!listOf(record(TOKEN))(value)) return false;
  const tokens = value as TokenListingMessage[];
  return tokens.length <= MAX_SNAPSHOT_TOKENS && new Set(tokens.map(({ address }) => address)).size === tokens.length;
};
