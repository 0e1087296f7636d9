import { parseAbi, parseEventLogs } from 'viem';
import type { Hex } from '@paymaster/domain';
import type { Stack } from '../stack/stack-file';
import { rpc } from '../chain/json-rpc';
import { chainReader } from './simple-account';

/** The same in every EntryPoint version. */
const userOperationEvent = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);
/** A block a second: the rest is for a busy machine. */
const LANDING_MS = 120_000;

/** What the EntryPoint's own event says of an operation. */
export interface Landed {
  /** False when the account's call was rolled back; somebody paid all the same. */
  readonly success: boolean;
  readonly sender: Hex;
  readonly paymaster: Hex;
  readonly actualGasCostWei: bigint;
  readonly actualGasUsed: bigint;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
}

/** Waits until an accepted operation is on chain. @throws when it is not after two minutes */
export async function landed(stack: Stack, userOpHash: Hex): Promise<Landed> {
  const reader = chainReader(stack);
  const hash = await transactionOf(stack, userOpHash);
  const { logs, blockNumber } = await reader.waitForTransactionReceipt({ hash, timeout: LANDING_MS });
  const events = parseEventLogs({ abi: userOperationEvent, logs });
  const event = events.find(({ args }) => args.userOpHash === userOpHash);
  if (!event) throw new Error(`transaction ${hash} has no UserOperationEvent of ${userOpHash}`);
  const { success, sender, paymaster, actualGasCost, actualGasUsed } = event.args;
  return {
    ...{ success, sender, paymaster, transactionHash: hash, blockNumber },
    ...{ actualGasCostWei: actualGasCost, actualGasUsed },
  };
}

async function transactionOf(stack: Stack, userOpHash: Hex): Promise<Hex> {
  for (const end = Date.now() + LANDING_MS; Date.now() < end;) {
    const found = await rpc<{ receipt: { transactionHash: Hex } } | null>(
      stack.bundler,
      'eth_getUserOperationReceipt',
      [userOpHash],
    );
    if (found) return found.receipt.transactionHash;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`operation ${userOpHash} was not on chain after ${LANDING_MS / 1_000} s`);
}
