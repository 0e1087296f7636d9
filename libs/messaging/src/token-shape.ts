import {
  eachField,
  eachPriceSource,
  MAX_FEED_HEARTBEAT_SECONDS,
  MAX_TOKEN_DECIMALS,
  NATIVE_PSEUDO_ADDRESS,
  sourcesOf,
  TOKEN_TERMS,
  ZERO_ADDRESS,
  type PriceFeed,
  type TokenListing,
} from '@paymaster/domain';
import { both, integer, isAddress, listOf, matching, orAbsent, orNull, record, text, type Check } from './checks';
import type { OnWire } from './to-wire';
import { checkOf } from './field-shape';

/** A token on the wire: wei as decimal string. */
export type TokenListingMessage = OnWire<TokenListing>;

/**
 * How many tokens one snapshot may hold. With the other bounds of this file they take 150 kB at most, so that a
 * snapshot with the most selectors that can be configured still fits into one NATS message of 1 MiB.
 */
export const MAX_SNAPSHOT_TOKENS = 50;
export const MAX_SYMBOL_LENGTH = 64;

/** No block has room for a transfer that needs more gas. */
const MAX_TRANSFER_GAS = 30_000_000;

/** Neither of the two addresses that mean "no token". */
export const isTokenAddress: Check = (value) =>
  isAddress(value) && value !== ZERO_ADDRESS && value !== NATIVE_PSEUDO_ADDRESS;

const FEED: Readonly<Record<keyof PriceFeed, Check>> = {
  address: isAddress,
  heartbeatSeconds: integer(1, MAX_FEED_HEARTBEAT_SECONDS),
};

const PRICE = eachPriceSource((source): Check => {
  const check = orNull(source.kind === 'feed' ? record(FEED) : matching(source.pattern));
  return source.mayBeAbsent ? orAbsent(check) : check;
});

const namesASource: Check = (value) => sourcesOf(value as object).length > 0;

const TOKEN: Readonly<Record<keyof TokenListingMessage, Check>> = {
  address: isTokenAddress,
  symbol: text(1, MAX_SYMBOL_LENGTH),
  decimals: integer(0, MAX_TOKEN_DECIMALS),
  price: both(record(PRICE), namesASource),
  transferGas: integer(1, MAX_TRANSFER_GAS),
  ...eachField(TOKEN_TERMS, checkOf),
};

/** The tokens of a snapshot: bounded in number, each address once. */
export const areTokens: Check = (value) => {
  if (!listOf(record(TOKEN))(value)) return false;
  const tokens = value as TokenListingMessage[];
  return tokens.length <= MAX_SNAPSHOT_TOKENS && new Set(tokens.map(({ address }) => address)).size === tokens.length;
};
