import { BaseError, ContractFunctionRevertedError, encodeFunctionData, parseEventLogs } from 'viem';
import {
  entryPoint06Abi,
  entryPoint07Abi,
  entryPoint08Abi,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { userOperationEvent } from './bundler';
import { publicClient, walletOf } from './chain';
import { typedOperation, type WireOperation } from './wire-operation';

/** Fits beside what others use of a block of the local chain, several times. */
const OWN_BUNDLE_GAS = 3_000_000n;
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

/** An operation that somebody puts on chain himself, on v0.7 or v0.8, as the one that the EntryPoint pays. */
export interface OwnBundle {
  readonly version: '0.7' | '0.8';
  readonly operation: WireOperation;
  readonly from: PrivateKeyAccount;
  /** Given, several bundles can be under way at once. */
  readonly nonce: number;
}

/**
 * Bundles for oneself, without a tip: waits until it is on chain.
 *
 * @returns what the transaction cost its sender, and what the EntryPoint paid him
 * @throws when the bundle reverts
 */
export async function bundleForOneself(
  stack: Stack,
  { version, operation, from, nonce }: OwnBundle,
): Promise<{ paidWei: bigint; receivedWei: bigint }> {
  const chain = publicClient(stack);
  const { baseFeePerGas } = await chain.getBlock();
  const typed = toPackedUserOperation(typedOperation(operation) as unknown as UserOperation<'0.7'>);
  const abi = version === '0.7' ? entryPoint07Abi : entryPoint08Abi;
  const data = encodeFunctionData({ abi, functionName: 'handleOps', args: [[typed], from.address] });
  const wallet = walletOf(stack, from);
  const fees = { maxFeePerGas: 2n * (baseFeePerGas ?? 0n), maxPriorityFeePerGas: 0n };
  const to: Hex = stack.entryPoints[version];
  const hash = await wallet.sendTransaction({ to, data, gas: OWN_BUNDLE_GAS, nonce, ...fees });
  const receipt = await chain.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`the bundle ${hash} reverted`);
  const events = parseEventLogs({ abi: userOperationEvent, logs: receipt.logs });
  return {
    paidWei: receipt.gasUsed * receipt.effectiveGasPrice,
    receivedWei: events.reduce((sum, { args }) => sum + args.actualGasCost, 0n),
  };
}

function failedOpReason(error: unknown): string {
  const reverted = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError) || reverted.data?.errorName !== 'FailedOp') throw error;
  return String(reverted.data.args?.[1]);
}
