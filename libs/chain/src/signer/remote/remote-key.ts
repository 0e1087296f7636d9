/** What a key elsewhere is asked to sign. */
export interface RemoteSigningRequest {
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /** The 66 bytes that it is the Keccak-256 of. */
  readonly preimage: Uint8Array;
  /** Aborted when nobody waits any longer. */
  readonly signal: AbortSignal;
}

/**
 * A key elsewhere, behind somebody's API: one class per API. It only translates; that the answer comes in time and is
 * true is seen to by the {@link RemoteSigner} around it.
 */
export interface RemoteKey {
  /**
   * @returns 64 bytes `r ++ s`, s high or low
   * @throws {SignerError} why not
   */
  rawSignature(request: RemoteSigningRequest): Promise<Uint8Array>;

  /**
   * The address of the public key, where the API tells it apart from signing.
   *
   * @throws {SignerError} why not; {SignerKeyError} when the key is none of secp256k1
   */
  publicAddress?(signal: AbortSignal): Promise<string>;

  /** Closes what lies idle. Nothing is asked of it afterwards. */
  close(): void;
}
