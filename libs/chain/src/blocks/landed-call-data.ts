import {
  EIP7702_MARKER,
  hasPaymasterSignature,
  isPackedVersion,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { PAYMASTER_SIGNATURE_MAGIC, type CompleteOperation, type SentPaymaster } from '../bundlers/complete-operation';
import { parseBytes, parseQuantity, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';

/** `handleOps` of v0.6, and of the versions that pack operations: first four bytes of keccak-256 of the signature. */
const HANDLE_OPS: readonly string[] = ['1fad948c', '765e827f'];
/** `handleAggregatedOps` of the same. */
const HANDLE_AGGREGATED_OPS: readonly string[] = ['4b1d7cf5', 'dbed18e0'];
/** Many times what fits into a block. Groups that share their operations cannot make the search longer. */
const MAX_OPERATIONS = 4_096;

const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;
const ADDRESS_BYTES = 20;
/** Where the offset of `callData` stands in an operation of every EntryPoint version; words. */
const CALL_DATA_AT = 3;

/** An operation that landed, as events tell it. */
export interface LandedOperation {
  /** Lower case. */
  readonly transactionHash: string;
  /** On which it landed; lower case. */
  readonly entryPoint: Address;
  readonly sender: string;
  readonly nonce: bigint;
}

/** What was found, or why nothing was: no node has the transaction, or it hands no such operation to the EntryPoint. */
export type LandedCallData = { readonly callData: Hex } | 'transactionUnknown' | 'notInBundle';

/**
 * Reads the call data of an operation that landed, from the transaction that carried it. It is for display: one
 * provider is believed, and a bundle that reached the EntryPoint through another contract is not found.
 *
 * @throws {DependencyUnavailableError} `chain`
 */
export async function landedCallData(
  provider: Pick<ChainProvider, 'ask'>,
  landed: LandedOperation,
): Promise<LandedCallData> {
  const { transactionHash, entryPoint } = landed;
  const parse = (value: unknown) => (value === null ? null : parseTransaction(value, transactionHash));
  const transaction = await provider.ask('eth_getTransactionByHash', [transactionHash], parse);
  if (!transaction) return 'transactionUnknown';
  if (transaction.to !== entryPoint) return 'notInBundle';
  const callData = readIn(transaction.input, landed, (args, at) => bytesOf(args, at, CALL_DATA_AT));
  return callData ? { callData } : 'notInBundle';
}

/** A whole operation, and the block of the transaction that carried it. */
export interface BundledOperation {
  readonly complete: CompleteOperation;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
}

/**
 * Reads an operation that landed from the transaction that carried it. One provider is believed: whoever wants proof
 * computes the hash of the operation.
 *
 * @returns null where the transaction is in no block, or reached the EntryPoint through another contract
 * @throws {DependencyUnavailableError} `chain`
 */
export async function bundledOperation(
  provider: Pick<ChainProvider, 'ask'>,
  { version, deadlineMs, ...landed }: LandedOperation & { version: EntryPointVersion; deadlineMs: number },
): Promise<BundledOperation | null> {
  const { transactionHash, entryPoint } = landed;
  const parse = (value: unknown) => {
    const { blockHash, blockNumber } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (value === null || blockHash === null) return null;
    return {
      ...parseTransaction(value, transactionHash),
      blockHash: parseBytes(blockHash, 'blockHash of the transaction'),
      blockNumber: parseQuantity(blockNumber, 'blockNumber of the transaction'),
    };
  };
  const found = await provider.ask('eth_getTransactionByHash', [transactionHash], parse, { deadlineMs });
  if (found?.to !== entryPoint) return null;
  const complete = readIn(found.input, landed, (args, at) => operationAt(args, at, version));
  return complete ? { complete, blockHash: found.blockHash, blockNumber: found.blockNumber } : null;
}

function parseTransaction(value: unknown, asked: string): { readonly to: string; readonly input: Hex } {
  const { hash, to, input } = parseRecord(value, 'eth_getTransactionByHash');
  if (String(hash).toLowerCase() !== asked) throw new UnexpectedAnswerError('hash of the transaction');
  return { to: String(to).toLowerCase(), input: parseBytes(input, 'input of the transaction') };
}

/**
 * Reads from the operation with this sender and nonce. Anybody can bundle, so offsets may point anywhere. Only what is
 * asked for is copied.
 *
 * @param read is given the arguments of the call and where the operation starts in them
 */
function readIn<T>(
  transactionInput: Hex,
  { sender, nonce }: LandedOperation,
  read: (args: Buffer, at: number) => T,
): T | undefined {
  const start = sender.slice(2).toLowerCase().padStart(64, '0') + nonce.toString(16).padStart(64, '0');
  const input = Buffer.from(transactionInput.slice(2), 'hex');
  const args = input.subarray(SELECTOR_BYTES);
  try {
    let left = MAX_OPERATIONS;
    for (const at of operationsIn(input.toString('hex', 0, SELECTOR_BYTES), args)) {
      if (left-- === 0) return undefined;
      if (args.toString('hex', at, at + 2 * WORD_BYTES) === start) return read(args, at);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** The operation that starts there, in the layout of its EntryPoint's version. */
function operationAt(args: Buffer, at: number, version: EntryPointVersion): CompleteOperation {
  const numberOf = (field: number): bigint => word(args, at + field * WORD_BYTES);
  const common = {
    sender: `0x${args.toString('hex', at + WORD_BYTES - ADDRESS_BYTES, at + WORD_BYTES)}` as Address,
    nonce: numberOf(1),
    callData: bytesOf(args, at, CALL_DATA_AT),
  };
  const initCode = bytesOf(args, at, 2);
  if (!isPackedVersion(version)) {
    const operation = {
      ...{ entryPointVersion: version, ...common, initCode, signature: bytesOf(args, at, 10) },
      ...{ callGasLimit: numberOf(4), verificationGasLimit: numberOf(5), preVerificationGas: numberOf(6) },
      ...{ maxFeePerGas: numberOf(7), maxPriorityFeePerGas: numberOf(8) },
    };
    const paymasterAndData = bytesOf(args, at, 9);
    const none = { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n };
    if (paymasterAndData === '0x') return { operation, paymaster: undefined };
    const [paymaster, paymasterData] = splitAddress(paymasterAndData);
    return { operation, paymaster: { paymaster, paymasterData, ...none } };
  }
  const [verificationGasLimit, callGasLimit] = halves(numberOf(4));
  const [maxPriorityFeePerGas, maxFeePerGas] = halves(numberOf(6));
  const operation = {
    ...{ entryPointVersion: version, ...common, ...factoryIn(initCode), signature: bytesOf(args, at, 8) },
    ...{ verificationGasLimit, callGasLimit, preVerificationGas: numberOf(5), maxPriorityFeePerGas, maxFeePerGas },
  };
  return { operation, paymaster: paymasterIn(bytesOf(args, at, 7), version) };
}

/** An EntryPoint reads the marker of EIP-7702 also where it is cut off behind its first two bytes. */
function factoryIn(initCode: Hex): { factory?: Address; factoryData?: Hex } {
  if (initCode === '0x') return {};
  if (EIP7702_MARKER.startsWith(initCode)) return { factory: EIP7702_MARKER };
  const [factory, factoryData] = splitAddress(initCode);
  return { factory, factoryData };
}

/** Behind the paymaster's address: two limits of 16 bytes, data; on v0.9 a signature that the hash leaves out. */
function paymasterIn(paymasterAndData: Hex, version: EntryPointVersion): SentPaymaster | undefined {
  if (paymasterAndData === '0x') return undefined;
  const [paymaster, rest] = splitAddress(paymasterAndData);
  if (rest.length < 66) throw new RangeError('the limits of the paymaster are cut off');
  const [paymasterVerificationGasLimit, paymasterPostOpGasLimit] = halves(BigInt(rest.slice(0, 66)));
  const sent = { paymaster, paymasterVerificationGasLimit, paymasterPostOpGasLimit };
  const data = rest.slice(66);
  const magic = PAYMASTER_SIGNATURE_MAGIC.slice(2);
  if (!hasPaymasterSignature(version) || !data.endsWith(magic)) return { ...sent, paymasterData: `0x${data}` };
  const end = data.length - magic.length - 4;
  const start = end - 2 * Number(`0x${data.slice(end, end + 4)}`);
  if (!(start >= 0)) throw new RangeError('a signature starts in front of the data');
  return { ...sent, paymasterData: `0x${data.slice(0, start)}`, paymasterSignature: `0x${data.slice(start, end)}` };
}

/** What stands behind an address. */
function splitAddress(bytes: Hex): [Address, Hex] {
  const end = 2 + 2 * ADDRESS_BYTES;
  return [bytes.slice(0, end) as Address, `0x${bytes.slice(end)}`];
}

const halves = (value: bigint): [bigint, bigint] => [value >> 128n, value & ((1n << 128n) - 1n)];

/** Where operations start in the arguments of an EntryPoint's function. */
function* operationsIn(selector: string, args: Buffer): Generator<number> {
  if (HANDLE_OPS.includes(selector)) yield* itemsOf(args, size(args, 0));
  if (!HANDLE_AGGREGATED_OPS.includes(selector)) return;
  for (const group of itemsOf(args, size(args, 0))) yield* itemsOf(args, group + size(args, group));
}

/** Where the items of a list start; their offsets count from behind its length. */
function* itemsOf(args: Buffer, at: number): Generator<number> {
  const count = size(args, at);
  const start = at + WORD_BYTES;
  for (let item = 0; item < count; item++) yield start + size(args, start + item * WORD_BYTES);
}

/** The bytes that a word of an operation leads to. */
function bytesOf(args: Buffer, at: number, field: number): Hex {
  const start = at + size(args, at + field * WORD_BYTES) + WORD_BYTES;
  const end = start + size(args, start - WORD_BYTES);
  if (end > args.length) throw new RangeError('bytes end behind the call data');
  return `0x${args.toString('hex', start, end)}`;
}

/** @throws {RangeError} where no word is, or more is said than the call data are long */
function size(args: Buffer, at: number): number {
  const value = word(args, at);
  if (value > args.length) throw new RangeError('an offset leads behind the call data');
  return Number(value);
}

/** @throws {RangeError} where no word is */
function word(args: Buffer, at: number): bigint {
  if (at + WORD_BYTES > args.length) throw new RangeError('a word ends behind the call data');
  return BigInt(`0x${args.toString('hex', at, at + WORD_BYTES)}`);
}
