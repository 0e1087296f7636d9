import type { FieldTable, ValuesOf } from './fields';
import type { LimitCycle } from './native-rules';

/** SECRET: only servers of the owner know it. PUBLISHABLE: it stands in pages and apps, so everybody can read it. */
export const KEY_KINDS = ['SECRET', 'PUBLISHABLE'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What a key's limit counts over: all operations that are signed for the key, or those of each of its users. */
export const KEY_LIMIT_SCOPES = ['KEY', 'USER'] as const;
export type KeyLimitScope = (typeof KEY_LIMIT_SCOPES)[number];

/** What it counts: wei of gas, USD (with up to 6 decimals), or operations. */
export const KEY_LIMIT_MEASURES = ['WEI', 'USD', 'COUNT'] as const;
export type KeyLimitMeasure = (typeof KEY_LIMIT_MEASURES)[number];

/**
 * What a key asks of the operator's bundlers: nothing; to send what its paymaster has signed; or to send any operation.
 */
export const KEY_BUNDLER_USES = ['off', 'sponsored', 'any'] as const;
export type KeyBundlerUse = (typeof KEY_BUNDLER_USES)[number];

/** Limits of one key. */
export const MAX_KEY_LIMITS = 10;

/** A limit of one key; it counts beside those of policies. */
export interface KeyLimit {
  /** Stable within the key while scope, measure and cycle stay the same: names the budget. */
  readonly id: string;
  readonly scope: KeyLimitScope;
  readonly measure: KeyLimitMeasure;
  /** Wei, operations, or micro-USD (1e-6 USD), by `measure`. */
  readonly amount: bigint;
  readonly cycle: LimitCycle;
}

/**
 * What one named API key may do beside its limits, each field declared once: from here come the types, what the
 * dashboard takes, shows and stores, its API document, and what travels to the gateway. A gateway refuses a grant with a
 * field that it does not know, because it may be a restriction; so a field is left out while it restricts nothing.
 */
export const KEY_TERMS = {
  allowedOrigins: {
    kind: 'list',
    of: 'origin',
    to: 20,
    standard: null,
    says: 'Browser origins whose pages may send the key; a request without an Origin is refused. For PUBLISHABLE keys.',
  },
  allowedNetworks: {
    kind: 'list',
    of: 'network',
    to: 50,
    standard: null,
    says: 'Networks that the key may be sent from: addresses or CIDR blocks.',
  },
  allowedSenders: {
    kind: 'list',
    of: 'address',
    to: 100,
    standard: null,
    says: 'Smart accounts whose operations may be asked for.',
  },
  allowedMethods: {
    kind: 'list',
    of: 'method',
    to: 20,
    standard: null,
    says: 'JSON-RPC methods that may be called, such as pm_getPaymasterData.',
  },
  bundler: {
    kind: 'choice',
    words: KEY_BUNDLER_USES,
    standard: 'any',
    says:
      "The methods of a bundler: off refuses them; sponsored sends only operations that the paymaster's funding wallet " +
      'pays for; any, which a new key has, sends all.',
    mayBeAbsent: true,
  },
  policyIds: {
    kind: 'list',
    of: 'id',
    to: 20,
    standard: null,
    says: 'RULES policies that are asked; restrictions hold besides.',
  },
  sessionRequired: {
    kind: 'flag',
    standard: false,
    says: 'Every request with the key needs a session token of the app.',
  },
} as const satisfies FieldTable;

/**
 * What one named API key may do (docs/architecture/api-keys.md). It only narrows what its paymaster allows; null means
 * that it does not.
 */
export interface KeyGrant extends ValuesOf<typeof KEY_TERMS> {
  readonly keyId: string;
  readonly kind: KeyKind;
  /** Of all that is signed for the key; none where it has none of its own. */
  readonly limits: readonly KeyLimit[];
  /** From then on it is refused; unix milliseconds. */
  readonly expiresAtMs: number | null;
}
