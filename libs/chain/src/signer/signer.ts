import type { Address } from '@paymaster/domain';

/** Signs digests with a key that the paymaster contract trusts. A key of another kind (KMS) is another class. */
export interface Signer {
  readonly address: Address;

  /**
   * @param digest the 32-byte EIP-712 digest, signed as it is (no EIP-191 prefix)
   * @returns 65 bytes `r ++ s ++ v`, low s, v 27 or 28: the only form the contract accepts
   */
  sign(digest: Uint8Array): Promise<Uint8Array> | Uint8Array;
}
