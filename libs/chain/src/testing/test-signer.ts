import { normalizeAddress, type Address } from '@paymaster/domain';
import { computeAddress, getBytes, SigningKey } from 'ethers';

/** Signs as the signers of a gateway do, with a key that everybody may know. */
export class TestSigner {
  readonly address: Address;
  private readonly key: SigningKey;

  constructor(key: Uint8Array) {
    this.key = new SigningKey(key);
    this.address = normalizeAddress(computeAddress(this.key));
  }

  /** @returns 65 bytes `r ++ s ++ v` */
  sign(digest: Uint8Array): Uint8Array {
    return getBytes(this.key.sign(digest).serialized);
  }
}
