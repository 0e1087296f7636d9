import { isIPv4, isIPv6 } from 'node:net';
import {
  ID_PATTERN,
  KEY_BUNDLER_USES,
  KEY_KINDS,
  KEY_LIMIT_MEASURES,
  KEY_LIMIT_SCOPES,
  LIMIT_CYCLES,
  SESSION_ALGORITHMS,
  type KeyGrant,
  type KeyLimit,
  type SessionKey,
} from '@paymaster/domain';
import type { OnWire } from './digits';
import {
  atMost,
  both,
  exactRecord,
  isAddress,
  isCount,
  isFlag,
  isWei,
  listOf,
  matching,
  oneOf,
  orNull,
  text,
  withoutTwins,
  withoutTwinsBy,
  type Check,
} from './checks';

/** Bounds on the lists of one key. */
export const MAX_KEY_ORIGINS = 20;
export const MAX_KEY_NETWORKS = 50;
export const MAX_KEY_SENDERS = 100;
export const MAX_KEY_METHODS = 20;
export const MAX_KEY_POLICIES = 20;
export const MAX_KEY_LIMITS = 10;
export const MAX_ORIGIN_LENGTH = 300;

/** A JSON-RPC method of a chain or a paymaster by its wire name. */
export const RPC_METHOD_PATTERN = /^[a-z][a-z0-9]{0,31}_[A-Za-z0-9]{1,64}$/;

/**
 * Whether a text is an IPv4 or IPv6 address, or a CIDR block of them. IPv4 is written as IPv4: a block inside of
 * `::ffff:0:0/96` would match nobody.
 */
export function isNetwork(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 64) return false;
  const [address = '', bits, ...more] = value.split('/');
  const isV4 = isIPv4(address);
  if (more.length > 0 || !(isV4 || (isIPv6(address) && !/^::ffff:|%/i.test(address)))) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128));
}

export const MAX_SERVERS = 20;
/** The shortest prefix of a server's network. Otherwise an owner could name the whole internet. */
export const MIN_SERVER_BITS = { v4: 24, v6: 48 } as const;

/** Whether a text is the address of a server, or a network that is small enough to be one owner's. */
export function isServerNetwork(value: unknown): value is string {
  if (!isNetwork(value)) return false;
  const [address = '', bits] = value.split('/');
  return bits === undefined || Number(bits) >= (isIPv4(address) ? MIN_SERVER_BITS.v4 : MIN_SERVER_BITS.v6);
}

/** A list of at least one item, because an empty list could be read as no restriction. */
const some = (check: Check, most: number): Check =>
  orNull(both(both(withoutTwins(listOf(check)), atMost(most)), (value) => (value as unknown[]).length > 0));

/**
 * A grant on the wire: amounts as decimal strings. `bundler` is absent where it is `any`: a gateway that is too old to
 * know the field refuses every grant that has it.
 */
export type KeyGrantMessage = Omit<OnWire<KeyGrant>, 'bundler'> & Partial<Pick<KeyGrant, 'bundler'>>;

const KEY_LIMIT: Readonly<Record<keyof KeyLimit, Check>> = {
  id: matching(ID_PATTERN),
  scope: oneOf(KEY_LIMIT_SCOPES),
  measure: oneOf(KEY_LIMIT_MEASURES),
  amount: isWei,
  cycle: oneOf(LIMIT_CYCLES),
};

const KEY_GRANT: Readonly<Record<keyof KeyGrant, Check>> = {
  keyId: matching(ID_PATTERN),
  kind: oneOf(KEY_KINDS),
  allowedOrigins: some(text(1, MAX_ORIGIN_LENGTH), MAX_KEY_ORIGINS),
  allowedNetworks: some(isNetwork, MAX_KEY_NETWORKS),
  allowedSenders: some(isAddress, MAX_KEY_SENDERS),
  allowedMethods: some(matching(RPC_METHOD_PATTERN), MAX_KEY_METHODS),
  bundler: (value) => value === undefined || oneOf(KEY_BUNDLER_USES)(value),
  policyIds: some(matching(ID_PATTERN), MAX_KEY_POLICIES),
  sessionRequired: isFlag,
  limits: both(withoutTwinsBy('id', listOf(exactRecord(KEY_LIMIT))), atMost(MAX_KEY_LIMITS)),
  expiresAtMs: orNull(isCount),
};

export const MAX_SESSION_KEYS = 4;
const SESSION_KEY: Readonly<Record<keyof SessionKey, Check>> = {
  keyId: matching(ID_PATTERN),
  algorithm: oneOf(SESSION_ALGORITHMS),
  spki: matching(/^[A-Za-z0-9+/]{40,200}={0,2}$/),
};
export const areSessionKeys: Check = both(
  withoutTwinsBy('keyId', listOf(exactRecord(SESSION_KEY))),
  atMost(MAX_SESSION_KEYS),
);

/** What a key may do, with exactly the fields that this version knows: an unknown one may be a restriction. */
export const isKeyGrant: Check = exactRecord(KEY_GRANT);

export function toKeyMessage({ bundler, ...key }: KeyGrant): KeyGrantMessage {
  const limits = key.limits.map((limit) => ({ ...limit, amount: limit.amount.toString() }));
  return { ...key, ...(bundler !== 'any' && { bundler }), limits };
}

/** The grant in a message whose shape was checked. */
export function fromKeyMessage(key: KeyGrantMessage): KeyGrant {
  const limits = key.limits.map((limit) => ({ ...limit, amount: BigInt(limit.amount) }));
  return { ...key, bundler: key.bundler ?? 'any', limits };
}
