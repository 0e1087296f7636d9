import type { Address, Hex } from '@paymaster/domain';
import { parseBytes, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';

/** `handleOps` of v0.6, and of the versions that pack operations: first four bytes of keccak-256 of the signature. */
const HANDLE_OPS: readonly string[] = ['1fad948c', '765e827f'];
/** `handleAggregatedOps` of the same. */
const HANDLE_AGGREGATED_OPS: readonly string[] = ['4b1d7cf5', 'dbed18e0'];
/** Many times what fits into a block. Groups that share their operations cannot make the search longer. */
const MAX_OPERATIONS = 4_096;

const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;
/** Where the offset of `callData` stands in an operation of every EntryPoint version; bytes. */
const CALL_DATA_AT = 3 * WORD_BYTES;

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
  { transactionHash, entryPoint, sender, nonce }: LandedOperation,
): Promise<LandedCallData> {
  const parse = (value: unknown) => (value === null ? null : parseTransaction(value, transactionHash));
  const transaction = await provider.ask('eth_getTransactionByHash', [transactionHash], parse);
  if (!transaction) return 'transactionUnknown';
  if (transaction.to !== entryPoint) return 'notInBundle';
  const start = sender.slice(2).toLowerCase().padStart(64, '0') + nonce.toString(16).padStart(64, '0');
  const callData = callDataOf(start, Buffer.from(transaction.input.slice(2), 'hex'));
  return callData ? { callData } : 'notInBundle';
}

function parseTransaction(value: unknown, asked: string): { readonly to: string; readonly input: Hex } {
  const { hash, to, input } = parseRecord(value, 'eth_getTransactionByHash');
  if (String(hash).toLowerCase() !== asked) throw new UnexpectedAnswerError('hash of the transaction');
  return { to: String(to).toLowerCase(), input: parseBytes(input, 'input of the transaction') };
}

/**
 * Anybody can bundle, so offsets may point anywhere. Only what is asked for is copied.
 *
 * @param start sender and nonce of the operation, as words in hexadecimal digits
 */
function callDataOf(start: string, input: Buffer): Hex | undefined {
  const args = input.subarray(SELECTOR_BYTES);
  try {
    let left = MAX_OPERATIONS;
    for (const at of operationsIn(input.toString('hex', 0, SELECTOR_BYTES), args)) {
      if (left-- === 0) return undefined;
      if (args.toString('hex', at, at + 2 * WORD_BYTES) === start)
        return bytesAt(args, at + size(args, at + CALL_DATA_AT));
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

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

function bytesAt(args: Buffer, at: number): Hex {
  const start = at + WORD_BYTES;
  const end = start + size(args, at);
  if (end > args.length) throw new RangeError('bytes end behind the call data');
  return `0x${args.toString('hex', start, end)}`;
}

/** @throws {RangeError} where no word is, or more is said than the call data are long */
function size(args: Buffer, at: number): number {
  if (at + WORD_BYTES > args.length) throw new RangeError('a word ends behind the call data');
  const value = BigInt(`0x${args.toString('hex', at, at + WORD_BYTES)}`);
  if (value > args.length) throw new RangeError('an offset leads behind the call data');
  return Number(value);
}
