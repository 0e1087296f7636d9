import {
  bundledOperation,
  JsonRpcResponseError,
  parseQuantity,
  toWireOperation,
  UnexpectedAnswerError,
  type ChainProvider,
  type CompleteOperation,
  type WireOperation,
} from '@paymaster/chain';
import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import { AbiCoder, id } from 'ethers';

/** `UserOperationEvent` is the same in all EntryPoint versions. */
const USER_OPERATION_EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const REVERT_REASON_EVENT = id('UserOperationRevertReason(bytes32,address,uint256,bytes)');

/** How far back the chain is searched for an operation that no bundler remembers. Providers refuse larger ranges. */
export const SEARCHED_BLOCKS = 2_000;

type Json = Readonly<Record<string, unknown>>;

/** The answer to `eth_getUserOperationReceipt`, as ERC-7769 has it, with all fields that clients read. */
export type UserOperationReceipt = Json & {
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: Hex;
  readonly success: boolean;
  readonly receipt: Json & { readonly transactionHash: Hex };
};

/**
 * Reads a bundler's receipt. Its fields are taken from the operation's event in the logs of its transaction, because
 * bundlers leave out different fields. A receipt without the event is not believed.
 *
 * @throws {UnexpectedAnswerError} when it is of another operation, or not a receipt
 */
export function readReceipt(
  value: unknown,
  wanted: { userOpHash: Hex; entryPoints: readonly Address[] },
): UserOperationReceipt | null {
  return value === null || value === undefined ? null : receiptIn(recordOf(recordOf(value)['receipt']), wanted);
}

/** The answer to `eth_getUserOperationByHash`, as ERC-7769 has it. */
export type LandedUserOperation = Json & {
  readonly userOperation: WireOperation;
  readonly entryPoint: string;
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly blockNumber: Hex;
};

/** Reads an operation as a bundler writes it. @throws when the value is no operation */
export type ReadOperation = (operation: unknown, entryPoint: string) => CompleteOperation;

/**
 * Reads a landed operation from a bundler's answer. Bundlers write operations differently, so it is written anew.
 *
 * @param isWanted whether the operation has the hash that was asked for
 * @returns null for a pending operation, because clients take every answer that is not null for a landed operation
 * @throws {UnexpectedAnswerError} when it is another operation, or no operation
 */
export function readLanded(
  value: unknown,
  { read, isWanted }: { read: ReadOperation; isWanted: (complete: CompleteOperation) => boolean },
): LandedUserOperation | null {
  if (value === null || value === undefined) return null;
  const { userOperation, entryPoint, transactionHash, blockHash, blockNumber } = recordOf(value);
  if (typeof transactionHash !== 'string' || typeof blockHash !== 'string') return null;
  const complete = read(recordOf(userOperation), String(entryPoint));
  if (!isWanted(complete)) throw new UnexpectedAnswerError('an operation', 'is another than was asked for');
  const place = { transactionHash, blockHash, blockNumber: hex(parseQuantity(blockNumber, 'blockNumber')) };
  return { userOperation: toWireOperation(complete, 'other'), entryPoint: String(entryPoint), ...place };
}

/**
 * Reads an operation from its transaction, for operations that no bundler remembers.
 *
 * @param provider a separate one: clients decide what it is asked for
 * @param receipt of the operation, which names the transaction
 * @param isWanted whether the operation has the hash that was asked for
 * @returns null where the transaction does not call the EntryPoint itself, or another operation was found
 * @throws {DependencyUnavailableError} `chain`
 */
export async function landedOnChain(
  provider: Pick<ChainProvider, 'ask'>,
  { receipt, version, isWanted, deadlineMs }: LandedOnChain,
): Promise<LandedUserOperation | null> {
  const { sender, nonce, entryPoint } = receipt;
  const { transactionHash } = receipt.receipt;
  const found = await bundledOperation(provider, {
    ...{ sender, nonce: BigInt(nonce), entryPoint, version, deadlineMs },
    transactionHash: transactionHash.toLowerCase(),
  });
  if (!found || !(await isWanted(found.complete))) return null;
  const place = { transactionHash, blockHash: found.blockHash, blockNumber: hex(found.blockNumber) };
  return { userOperation: toWireOperation(found.complete, 'other'), entryPoint, ...place };
}

interface LandedOnChain {
  readonly receipt: UserOperationReceipt;
  readonly version: EntryPointVersion;
  readonly isWanted: (complete: CompleteOperation) => Promise<boolean>;
  readonly deadlineMs: number;
}

interface Log {
  readonly topics: readonly string[];
  readonly data: string;
  readonly address: string;
  readonly transactionHash: Hex;
}

/**
 * The receipt of an operation as the chain has it, for operations that no bundler remembers.
 *
 * @param provider a separate one: clients decide what it is asked for
 * @returns null when no block of the last {@link SEARCHED_BLOCKS} has it
 * @throws {DependencyUnavailableError} `chain`
 */
export async function receiptOnChain(
  provider: Pick<ChainProvider, 'ask'>,
  wanted: { userOpHash: Hex; entryPoints: readonly Address[]; deadlineMs: number },
): Promise<UserOperationReceipt | null> {
  const { userOpHash, entryPoints, deadlineMs } = wanted;
  const parseHead = (value: unknown) => parseQuantity(value, 'eth_blockNumber');
  const headNumber = await provider.ask('eth_blockNumber', [], parseHead, { deadlineMs, unsupported });
  const from = headNumber > BigInt(SEARCHED_BLOCKS) ? headNumber - BigInt(SEARCHED_BLOCKS) : 0n;
  const filter = {
    ...{ address: entryPoints, topics: [USER_OPERATION_EVENT, userOpHash] },
    ...{ fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' },
  };
  const [event] = await provider.ask('eth_getLogs', [filter], logsOf, { deadlineMs, unsupported });
  if (!event) return null;
  const receipt = await provider.ask('eth_getTransactionReceipt', [event.transactionHash], recordOf, {
    ...{ deadlineMs, unsupported },
  });
  return receiptIn(receipt, wanted);
}

/**
 * Finds out which of the operations are in a block, by one question to the node.
 *
 * @param userOpHashes at most a hundred: nodes bound what a filter may name
 * @throws {DependencyUnavailableError} `chain`
 */
export async function landedAmong(
  provider: Pick<ChainProvider, 'ask'>,
  asked: { userOpHashes: readonly Hex[]; entryPoints: readonly Address[]; fromBlock: bigint; deadlineMs: number },
): Promise<ReadonlySet<Hex>> {
  const { userOpHashes, entryPoints, fromBlock, deadlineMs } = asked;
  const filter = {
    ...{ address: entryPoints, topics: [USER_OPERATION_EVENT, userOpHashes] },
    ...{ fromBlock: hex(fromBlock), toBlock: 'latest' },
  };
  const events = await provider.ask('eth_getLogs', [filter], logsOf, { deadlineMs, unsupported });
  return new Set(events.map(({ topics }) => topics[1]?.toLowerCase() as Hex));
}

/** The answer of an operation, from the receipt of its transaction. @throws {UnexpectedAnswerError} */
function receiptIn(
  receipt: Json,
  { userOpHash, entryPoints }: { userOpHash: Hex; entryPoints: readonly Address[] },
): UserOperationReceipt {
  const { transactionHash } = receipt;
  if (typeof transactionHash !== 'string') throw new UnexpectedAnswerError('the receipt');
  const isOurs = ({ topics, address }: Log) =>
    topics[1]?.toLowerCase() === userOpHash && entryPoints.includes(address.toLowerCase() as Address);
  const logs = logsOf(receipt['logs']);
  const end = logs.findIndex((log) => log.topics[0] === USER_OPERATION_EVENT && isOurs(log));
  if (end === -1) throw new UnexpectedAnswerError('the logs of an operation', 'are not in its transaction');
  const before = logs.slice(0, end).map(({ topics }) => topics[0]);
  const start = before.lastIndexOf(USER_OPERATION_EVENT) + 1;
  const ours = logs[end] as Log;
  const [nonce, success, actualGasCost, actualGasUsed] = AbiCoder.defaultAbiCoder().decode(
    ['uint256', 'bool', 'uint256', 'uint256'],
    ours.data,
  ) as unknown as [bigint, boolean, bigint, bigint];
  const reverted = logs.find((log) => log.topics[0] === REVERT_REASON_EVENT && isOurs(log));
  return {
    ...{
      userOpHash,
      entryPoint: ours.address.toLowerCase() as Address,
      sender: addressIn(ours.topics[2]),
      nonce: hex(nonce),
    },
    ...{ paymaster: addressIn(ours.topics[3]), actualGasCost: hex(actualGasCost), actualGasUsed: hex(actualGasUsed) },
    ...{ success, reason: reverted ? reasonOf(reverted) : '0x', logs: logs.slice(start, end + 1) },
    receipt: { contractAddress: null, ...receipt, transactionHash: transactionHash as Hex },
  };
}

function reasonOf({ data }: Log): string {
  return (AbiCoder.defaultAbiCoder().decode(['uint256', 'bytes'], data) as unknown as [bigint, string])[1];
}

/** A node that refuses the range is not faulty, so this does not count as a failure of it. */
const unsupported = (error: unknown): Error | undefined => (error instanceof JsonRpcResponseError ? error : undefined);

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
const addressIn = (topic = ''): Address => `0x${topic.slice(-40).toLowerCase()}`;

function recordOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new UnexpectedAnswerError('the receipt');
}

function logsOf(value: unknown): readonly Log[] {
  if (!Array.isArray(value)) throw new UnexpectedAnswerError('the logs');
  return value.map((each: unknown) => {
    const { topics, data, address } = recordOf(each);
    const isLog = Array.isArray(topics) && [data, address].every((field) => typeof field === 'string');
    if (!isLog) throw new UnexpectedAnswerError('a log');
    return each as Log;
  });
}
