/** The input that a remote key signs. */
export interface RemoteSigningRequest {
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /** The 66 bytes whose Keccak-256 is the digest. */
  readonly preimage: Uint8Array;
  /** Aborted when no caller waits any longer. */
  readonly signal: AbortSignal;
}

/**
 * A remote key behind a vendor's API: one class per API. It only translates; the {@link RemoteSigner} around it makes
 * sure that the answer is in time and right.
 */
export interface RemoteKey {
  /**
   * @returns 64 bytes `r ++ s`, s high or low
   * @throws {SignerError} with the reason why it did not sign
   */
  rawSignature(request: RemoteSigningRequest): Promise<Uint8Array>;

  /**
   * The address of the public key, where the API tells it without signing.
   *
   * @throws {SignerError} with the reason; {SignerKeyError} when it is not a key of secp256k1
   */
  publicAddress?(signal: AbortSignal): Promise<string>;

  /** Closes idle connections. Call nothing else afterwards. */
  close(): void;
}
