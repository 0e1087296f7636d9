import type { EntryPointVersion, PaymasterGasLimits } from '@paymaster/domain';
import { gasConstants } from '@paymaster/contract-abis';

/** Gas that the contract needs. The contract's tests measure it (contracts/gas-constants.json). */
export interface PaymasterGasConstants extends PaymasterGasLimits {
  /** The most gas that the EntryPoint takes after it measured `actualGasCost`; other comments call it U. */
  readonly unaccountedGas: bigint;
  /** v0.6 only: the least `verificationGasLimit`, which bounds `postOp` there. */
  readonly minVerificationGas?: bigint;
}

/**
 * The constants per EntryPoint version. Validation hashes the whole operation, so its gas grows with the size. The
 * constants hold for every operation that the gateway signs: up to 8,192 bytes (ERC-7562 MAX_USEROP_SIZE).
 */
export const PAYMASTER_GAS_CONSTANTS: Readonly<Record<EntryPointVersion, PaymasterGasConstants>> = gasConstants;

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
