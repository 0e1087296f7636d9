import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { getUserOperationHash, type UserOperation } from 'viem/account-abstraction';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Stack } from '@paymaster/devnet';

/** A user operation as it travels: every value a hex string, absent fields really absent. */
export interface WireOperation {
  readonly sender: Hex;
  readonly nonce: Hex;
  readonly initCode?: Hex;
  readonly factory?: Hex;
  readonly factoryData?: Hex;
  readonly callData: Hex;
  readonly callGasLimit?: Hex;
  readonly verificationGasLimit?: Hex;
  readonly preVerificationGas?: Hex;
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
  readonly paymasterAndData?: Hex;
  readonly paymaster?: Hex;
  readonly paymasterData?: Hex;
  readonly paymasterVerificationGasLimit?: Hex;
  readonly paymasterPostOpGasLimit?: Hex;
  /** On v0.9. */
  readonly paymasterSignature?: Hex;
  readonly signature?: Hex;
}

const QUANTITIES = [
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const;

/** The operation with bigint quantities, as viem has it. */
export function typedOperation(operation: WireOperation): Record<string, unknown> {
  const quantities = QUANTITIES.filter((name) => operation[name] !== undefined);
  return { ...operation, ...Object.fromEntries(quantities.map((name) => [name, BigInt(operation[name] ?? 0)])) };
}

export interface SigningContext {
  readonly stack: Stack;
  readonly version: EntryPointVersion;
  readonly owner: PrivateKeyAccount;
}

/**
 * The operation with its account's signature over the userOpHash: EIP-191 up to v0.7, the plain hash (which is
 * EIP-712 there) later.
 */
export async function signOperation(
  operation: WireOperation,
  { stack, version, owner }: SigningContext,
): Promise<WireOperation> {
  const hash = getUserOperationHash({
    chainId: stack.chainId,
    entryPointAddress: stack.entryPoints[version],
    entryPointVersion: version,
    userOperation: { ...typedOperation(operation), signature: '0x' } as unknown as UserOperation<EntryPointVersion>,
  } as Parameters<typeof getUserOperationHash>[0]);
  const signature =
    version === '0.6' || version === '0.7'
      ? await owner.signMessage({ message: { raw: hash } })
      : await owner.sign({ hash });
  return { ...operation, signature };
}
