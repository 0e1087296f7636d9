import {
  byteLength,
  ceilDiv,
  initCodeOf,
  type EntryPointVersion,
  type PaymasterGasLimits,
  type UserOperation,
} from '@paymaster/domain';
import { gasConstants } from '@paymaster/contract-abis';

/** What the contract needs, measured by its own tests (contracts/gas-constants.json); gas. */
export interface PaymasterGasConstants extends PaymasterGasLimits {
  /** U: bound on what the EntryPoint takes after it measured `actualGasCost`. */
  readonly unaccountedGas: bigint;
  /** v0.6 only: the least `verificationGasLimit`, which bounds `postOp` there. */
  readonly minVerificationGas?: bigint;
  /** What hashing each further 32 bytes of the operation takes, beyond {@link MEASURED_OPERATION_BYTES}. */
  readonly verificationGasPerCallDataWord: bigint;
}

/** The constants hold for operations whose call data and `initCode` have no more bytes than this together. */
const MEASURED_OPERATION_BYTES = 2_048;

/** The constants per EntryPoint version, for operations of ordinary size. */
export const PAYMASTER_GAS_CONSTANTS: Readonly<Record<EntryPointVersion, PaymasterGasConstants>> = {
  '0.6': gasConstants.v06,
  '0.7': gasConstants.v07,
  '0.8': gasConstants.v08,
};

/** The constants for this operation: validation hashes all of it, so a long one needs a higher limit. */
export function paymasterGasFor(operation: UserOperation): PaymasterGasConstants {
  const constants = PAYMASTER_GAS_CONSTANTS[operation.entryPointVersion];
  const bytes = byteLength(operation.callData) + byteLength(initCodeOf(operation));
  if (operation.entryPointVersion === '0.6' || bytes <= MEASURED_OPERATION_BYTES) return constants;
  const furtherWords = ceilDiv(BigInt(bytes - MEASURED_OPERATION_BYTES), 32n);
  return {
    ...constants,
    paymasterVerificationGasLimit:
      constants.paymasterVerificationGasLimit + furtherWords * constants.verificationGasPerCallDataWord,
  };
}
