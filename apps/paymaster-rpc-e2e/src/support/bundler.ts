import { setTimeout as sleep } from 'node:timers/promises';
import { parseAbi, parseEventLogs } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { publicClient } from './chain';
import { call, resultOf, type RpcAnswer } from './json-rpc';
import type { WireOperation } from './wire-operation';

/** What an EntryPoint says of each operation that it ran. */
export const userOperationEvent = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

/** What the EntryPoint's own event says of an operation on chain. */
export interface Landed {
  readonly success: boolean;
  readonly paymaster: Hex;
  readonly sender: Hex;
  readonly actualGasCostWei: bigint;
  readonly transactionHash: Hex;
}

/** A block a second: the rest is for a busy machine. */
const LANDING_MS = 120_000;
/** The pause between two looks: the bundler searches the chain at each. */
const LOOK_MS = 200;

/** Hands an operation to the bundler: its answer, good or bad. */
export function submit(stack: Stack, version: EntryPointVersion, operation: WireOperation): Promise<RpcAnswer> {
  const params = [operation, stack.entryPoints[version]];
  return call({ url: stack.bundler, method: 'eth_sendUserOperation', params });
}

/** Sends an operation through the bundler and waits for its event on chain. @throws when the bundler refuses it */
export async function land(stack: Stack, version: EntryPointVersion, operation: WireOperation): Promise<Landed> {
  return landed(stack, resultOf<Hex>(await submit(stack, version, operation)));
}

/** Waits for the EntryPoint's event of an operation the bundler has accepted. */
export async function landed(stack: Stack, userOpHash: Hex): Promise<Landed> {
  const transactionHash = await transactionOf(stack, userOpHash);
  const receipt = await publicClient(stack).getTransactionReceipt({ hash: transactionHash });
  const events = parseEventLogs({ abi: userOperationEvent, logs: receipt.logs });
  const event = events.find(({ args }) => args.userOpHash === userOpHash);
  if (!event) throw new Error(`transaction ${transactionHash} has no UserOperationEvent of ${userOpHash}`);
  const { success, paymaster, sender, actualGasCost } = event.args;
  return { success, paymaster, sender, actualGasCostWei: actualGasCost, transactionHash };
}

async function transactionOf(stack: Stack, userOpHash: Hex): Promise<Hex> {
  const look = async () => {
    await sleep(LOOK_MS);
    const answer = await call({ url: stack.bundler, method: 'eth_getUserOperationReceipt', params: [userOpHash] });
    return answer.body.result as { receipt: { transactionHash: Hex } } | null | undefined;
  };
  return (await until(look, `operation ${userOpHash} is on chain`, LANDING_MS)).receipt.transactionHash;
}
