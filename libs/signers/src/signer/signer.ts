import type { Address } from '@paymaster/domain';
import type { SignerFailure } from './signer-error';

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

/** Called for what signers do, for metrics. It is called on the hot path, so it must be quick and must not throw. */
export interface SignerObserver {
  /** @param name of the signer, as the operator gave it */
  signed(name: string, seconds: number): void;
  failed(name: string, kind: SignerFailure): void;
}

/** Which signers one paymaster contract accepts, by its answers so far. */
export interface ContractTrust {
  trusts(signer: Address): boolean;
}

/** The signers of this process, for code that asks contracts about them. */
export interface SignerRoster {
  addresses(): readonly Address[];
  /** Whether the gateway would ask this signer now. */
  isUp(signer: Address): boolean;
}
