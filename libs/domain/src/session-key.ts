/** Of one paymaster. */
export const MAX_SESSION_KEYS = 4;

/** A public key with which an app's back end signs session tokens (docs/architecture/api-keys.md). */
export interface SessionKey {
  /** What tokens name it by, as `kid`. */
  readonly keyId: string;
  /** The only algorithm that its signatures are checked with. */
  readonly algorithm: SessionAlgorithm;
  /** SubjectPublicKeyInfo, DER in base64. */
  readonly spki: string;
}

/** By type of key: Ed25519, P-256. */
export const SESSION_ALGORITHMS = ['EdDSA', 'ES256'] as const;
export type SessionAlgorithm = (typeof SESSION_ALGORITHMS)[number];
