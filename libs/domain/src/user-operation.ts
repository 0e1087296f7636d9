import type { Eip7702Authorization } from './eip7702';
import { isPacked, type EntryPointVersion, type PackedVersion } from './entry-point';
import type { Address, Hex } from './hex';

/** What every EntryPoint version's user operation has (ERC-4337). Fees are wei per gas, limits are gas. */
export interface UserOperationCommon {
  readonly sender: Address;
  /** All 256 bits: the 192-bit key and the 64-bit sequence. */
  readonly nonce: bigint;
  readonly callData: Hex;
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly signature: Hex;
}

/** A v0.6 operation without its `paymasterAndData`, which is what this platform makes. */
export interface UserOperationV06 extends UserOperationCommon {
  readonly entryPointVersion: Exclude<EntryPointVersion, PackedVersion>;
  /** `factory ++ factoryData`, or `0x` for a deployed account. */
  readonly initCode: Hex;
}

/** An operation of v0.7 or later, unpacked, without its paymaster fields. */
export interface UserOperationV07 extends UserOperationCommon {
  readonly entryPointVersion: PackedVersion;
  /** Or `EIP7702_MARKER`, on v0.8 and v0.9. */
  readonly factory?: Address;
  readonly factoryData?: Hex;
  /** Travels with the operation, to be put into the transaction that carries it. */
  readonly eip7702Auth?: Eip7702Authorization;
}

export type UserOperation = UserOperationV06 | UserOperationV07;

/** The three limits that belong to the account; unit: gas. */
export interface AccountGasLimits {
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
}

/** The two limits that belong to the paymaster on v0.7 and later; unit: gas. Zero on v0.6. */
export interface PaymasterGasLimits {
  readonly paymasterVerificationGasLimit: bigint;
  readonly paymasterPostOpGasLimit: bigint;
}

/** The EIP-7702 authorization that travels with the operation; operations of v0.6 have no place for one. */
export function eip7702AuthOf(operation: UserOperation): Eip7702Authorization | undefined {
  return isPacked(operation) ? operation.eip7702Auth : undefined;
}

/** The factory call in one form for all versions: v0.6 splits `initCode` after 20 bytes. */
export function factoryOf(operation: UserOperation): { factory: Address; factoryData: Hex } | undefined {
  if (!isPacked(operation)) {
    if (operation.initCode === '0x') return undefined;
    return {
      factory: operation.initCode.slice(0, 42).toLowerCase() as Address,
      factoryData: `0x${operation.initCode.slice(42)}`,
    };
  }
  if (!operation.factory) return undefined;
  return { factory: operation.factory, factoryData: operation.factoryData ?? '0x' };
}

/** `initCode` as v0.6 and the packed v0.7 operation carry it: `factory ++ factoryData`, or `0x`. */
export function initCodeOf(operation: UserOperation): Hex {
  if (!isPacked(operation)) return operation.initCode;
  return operation.factory ? `0x${operation.factory.slice(2)}${(operation.factoryData ?? '0x').slice(2)}` : '0x';
}
