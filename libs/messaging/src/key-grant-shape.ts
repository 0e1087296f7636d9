import {
  eachField,
  ID_PATTERN,
  KEY_KINDS,
  KEY_LIMIT_MEASURES,
  KEY_LIMIT_SCOPES,
  KEY_TERMS,
  LIMIT_CYCLES,
  MAX_KEY_LIMITS,
  MAX_SESSION_KEYS,
  SESSION_ALGORITHMS,
  withoutStandards,
  type KeyGrant,
  type KeyLimit,
  type SessionKey,
} from '@paymaster/domain';
import {
  atMost,
  both,
  exactRecord,
  isCount,
  isWei,
  listOf,
  matching,
  oneOf,
  orNull,
  withoutTwinsBy,
  type Check,
} from './checks';
import type { OnWire } from './to-wire';
import { checkOf, fromWire } from './field-shape';

/** A grant on the wire: amounts as decimal strings, without terms that may be absent and narrow nothing. */
export type KeyGrantMessage = OnWire<KeyGrant>;

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
  ...eachField(KEY_TERMS, checkOf),
  limits: both(withoutTwinsBy('id', listOf(exactRecord(KEY_LIMIT))), atMost(MAX_KEY_LIMITS)),
  expiresAtMs: orNull(isCount),
};

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

export function toKeyMessage(key: KeyGrant): KeyGrantMessage {
  const limits = key.limits.map((limit) => ({ ...limit, amount: limit.amount.toString() }));
  return { ...withoutStandards(KEY_TERMS, key), limits };
}

/** The grant in a message whose shape was checked. */
export function fromKeyMessage(key: KeyGrantMessage): KeyGrant {
  const limits = key.limits.map((limit) => ({ ...limit, amount: BigInt(limit.amount) }));
  return { ...fromWire<KeyGrant>(KEY_TERMS, key), limits };
}
