import { BaseError, ContractFunctionRevertedError } from 'viem';
import {
  entryPoint06Abi,
  entryPoint07Abi,
  entryPoint08Abi,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction';
import type { EntryPointVersion } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient } from './chain';
import { typedOperation, type WireOperation } from './wire-operation';

const BUNDLER = '0x00000000000000000000000000000000000000ee';

/** What the EntryPoint itself says to a bundle of this one operation: the `AAxx` reason, or undefined when it passes. */
export async function refusalByEntryPoint(
  stack: Stack,
  version: EntryPointVersion,
  operation: WireOperation,
): Promise<string | undefined> {
  const client = publicClient(stack);
  const call = { address: stack.entryPoints[version], functionName: 'handleOps', account: BUNDLER } as const;
  const typed = typedOperation(operation);
  const simulation =
    version === '0.6'
      ? client.simulateContract({
          ...call,
          abi: entryPoint06Abi,
          args: [[typed as unknown as Required<UserOperation<'0.6'>>], BUNDLER],
        })
      : client.simulateContract({
          ...call,
          abi: version === '0.7' ? entryPoint07Abi : entryPoint08Abi,
          args: [[toPackedUserOperation(typed as unknown as UserOperation<'0.7'>)], BUNDLER],
        });
  return simulation.then(() => undefined, failedOpReason);
}

function failedOpReason(error: unknown): string {
  const reverted = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError) || reverted.data?.errorName !== 'FailedOp') throw error;
  return String(reverted.data.args?.[1]);
}
