import type { Address } from '@paymaster/domain';

/** Signs digests with a key that the paymaster contract trusts, in this process or elsewhere. */
export interface Signer {
  readonly address: Address;

  /**
   * @param digest the 32-byte EIP-712 digest, signed as it is (no EIP-191 prefix)
   * @param preimage the 66 bytes that the digest is the Keccak-256 of (`0x1901 ++ domain separator ++ struct hash`),
   *   for signers that hash what they are given
   * @param deadlineMs of the request that it is for, by the monotonic clock; who signs in this process does it at once
   * @returns 65 bytes `r ++ s ++ v`, low s, v 27 or 28: the only form the contract accepts
   * @throws {SignerError} when a signer elsewhere does not sign; one in this process always does
   * @throws {RequestTimedOutError} when the deadline is over before a signer elsewhere is asked
   */
  sign(digest: Uint8Array, preimage: Uint8Array, deadlineMs?: number): Promise<Uint8Array> | Uint8Array;
}
