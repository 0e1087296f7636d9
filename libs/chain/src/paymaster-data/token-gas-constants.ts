import { gasConstants } from '@paymaster/contract-abis';
import type { EntryPointVersion } from '@paymaster/domain';

/** Gas that the contract needs in token mode, besides what the token itself uses. The contract's tests measure it. */
export interface TokenGasConstants {
  /** Validation without any token call. On v0.6: the paymaster's share of `verificationGasLimit`. */
  readonly tokenValidationGas: bigint;
  /** One EIP-2612 `permit`, an ERC-1271 account's signature check included. */
  readonly tokenPermitGas: bigint;
  /** `postOp` and the EntryPoint's tail without the token's call. */
  readonly tokenPostOpBaseGas: bigint;
  /** Gas that `postOp` must have in addition to the gas that it charges for. */
  readonly tokenPostOpMargin: bigint;
}

/** The constants per EntryPoint version (contracts/gas-constants.json). */
export const TOKEN_GAS_CONSTANTS: Readonly<Record<EntryPointVersion, TokenGasConstants>> = gasConstants;
