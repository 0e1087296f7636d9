import type { Address } from '@paymaster/domain';

/** Signs digests with a key that the paymaster contract trusts, in this process or remotely. */
export interface Signer {
  readonly address: Address;

  /**
   * @param digest the 32-byte EIP-712 digest, signed as it is (no EIP-191 prefix)
   * @param preimage the 66 bytes whose Keccak-256 is the digest (`0x1901 ++ domain separator ++ struct hash`), for
   *   signers that hash the data they get
   * @param deadlineMs of the request that asks, by the monotonic clock; a local signer signs at once
   * @returns 65 bytes `r ++ s ++ v`, low s, v 27 or 28: the only form the contract accepts
   * @throws {SignerError} when a remote signer does not sign; a local signer always does
   * @throws {RequestTimedOutError} when the deadline is over before a remote signer is asked
   */
  sign(digest: Uint8Array, preimage: Uint8Array, deadlineMs?: number): Promise<Uint8Array> | Uint8Array;
}
