import type { EntryPointVersion, PaymasterGasLimits } from '@paymaster/domain';
import { gasConstants } from '@paymaster/contract-abis';

/** What the contract needs, measured by its own tests (contracts/gas-constants.json); gas. */
export interface PaymasterGasConstants extends PaymasterGasLimits {
  /** U: bound on what the EntryPoint takes after it measured `actualGasCost`. */
  readonly unaccountedGas: bigint;
  /** v0.6 only: the least `verificationGasLimit`, which bounds `postOp` there. */
  readonly minVerificationGas?: bigint;
}

/**
 * The constants per EntryPoint version. Validation hashes the whole operation, so its gas grows with the size. The
 * constants hold for every operation that the gateway signs: up to 8,192 bytes (ERC-7562 MAX_USEROP_SIZE).
 */
export const PAYMASTER_GAS_CONSTANTS: Readonly<Record<EntryPointVersion, PaymasterGasConstants>> = {
  '0.6': gasConstants.v06,
  '0.7': gasConstants.v07,
  '0.8': gasConstants.v08,
  '0.9': gasConstants.v09,
};
