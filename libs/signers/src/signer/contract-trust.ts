import type { Address } from '@paymaster/domain';

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
