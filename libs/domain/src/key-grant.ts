import type { Address } from './hex';

/** SECRET: only servers of the owner know it. PUBLISHABLE: it stands in pages and apps, so everybody can read it. */
export const KEY_KINDS = ['SECRET', 'PUBLISHABLE'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

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
  /** The `RULES` policies that are asked; restrictions of the paymaster hold besides. */
  readonly policyIds: readonly string[] | null;
  /** From then on it is refused; unix milliseconds. */
  readonly expiresAtMs: number | null;
}
