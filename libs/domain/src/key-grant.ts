import type { Address } from './hex';
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
 * What one named API key may do (docs/architecture/api-keys.md). It only narrows what its paymaster allows; null means
 * that it does not.
 */
export interface KeyGrant {
  readonly keyId: string;
  readonly kind: KeyKind;
  /** Pages that may send it, as browsers name their origins. A request without an Origin is refused. */
  readonly allowedOrigins: readonly string[] | null;
  /** Networks it may come from: IPv4 and IPv6 addresses, or CIDR blocks of them. */
  readonly allowedNetworks: readonly string[] | null;
  /** Smart accounts whose operations may be asked for. */
  readonly allowedSenders: readonly Address[] | null;
  /** JSON-RPC methods by their wire names. */
  readonly allowedMethods: readonly string[] | null;
  /** `any` does not narrow it. */
  readonly bundler: KeyBundlerUse;
  /** The `RULES` policies that are asked; restrictions of the paymaster hold besides. */
  readonly policyIds: readonly string[] | null;
  /** Every request needs a session token. */
  readonly sessionRequired: boolean;
  /** Of all that is signed for the key; none where it has none of its own. */
  readonly limits: readonly KeyLimit[];
  /** From then on it is refused; unix milliseconds. */
  readonly expiresAtMs: number | null;
}
