import type { Address } from '@paymaster/domain';

/** Which signers one paymaster contract accepts, as far as it has said. */
export interface ContractTrust {
  trusts(signer: Address): boolean;
}

/** The signers of this process, for those who ask contracts about them. */
export interface SignerRoster {
  addresses(): readonly Address[];
  /** Whether it would be asked to sign now. */
  isUp(signer: Address): boolean;
}
