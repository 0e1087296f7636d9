import type { Address } from '@paymaster/domain';
import type { CanonicalReader } from './canonical-reader';
import { DecodeFailure, innerCall, MAX_INNER_CALLS, type InnerCall } from './decode-result';

/** `(address to, uint256 value, bytes data)`: one call. */
export function readSingleCall(reader: CanonicalReader): InnerCall[] {
  const call = readCallTuple(reader);
  reader.finish();
  return [call];
}

/** `(address[] to, bytes[] data)`: SimpleAccount v0.6, calls without value. */
export function readBatchWithoutValues(reader: CanonicalReader): InnerCall[] {
  const toOffset = reader.smallNumber('offset of targets');
  const dataOffset = reader.smallNumber('offset of data');
  reader.expectTail(toOffset, 'targets');
  const targets = reader.addresses('targets', MAX_INNER_CALLS);
  reader.expectTail(dataOffset, 'data');
  const data = reader.dynamicItems('data', MAX_INNER_CALLS, () => reader.bytes('data'));
  reader.finish();
  expectEqualLengths(targets.length, data.length);
  return targets.map((to, index) => innerCall(to, 0n, data[index]!));
}

/**
 * `(address[] to, uint256[] value, bytes[] data)`.
 *
 * SimpleAccount v0.7 reads an empty value array as "no values"; other accounts revert on it, so it is read that
 * way only where `allowNoValues` says so.
 */
export function readBatch(reader: CanonicalReader, allowNoValues: boolean): InnerCall[] {
  const toOffset = reader.smallNumber('offset of targets');
  const valueOffset = reader.smallNumber('offset of values');
  const dataOffset = reader.smallNumber('offset of data');
  reader.expectTail(toOffset, 'targets');
  const targets = reader.addresses('targets', MAX_INNER_CALLS);
  reader.expectTail(valueOffset, 'values');
  const values = reader.uints('values', MAX_INNER_CALLS);
  reader.expectTail(dataOffset, 'data');
  const data = reader.dynamicItems('data', MAX_INNER_CALLS, () => reader.bytes('data'));
  reader.finish();
  expectEqualLengths(targets.length, data.length);
  if (values.length !== 0 || !allowNoValues) expectEqualLengths(targets.length, values.length);
  return targets.map((to, index) => innerCall(to, values[index] ?? 0n, data[index]!));
}

/** `((address to, uint256 value, bytes data)[] calls)`: SimpleAccount v0.8 and ERC-7579 batches. */
export function readBatchOfTuples(reader: CanonicalReader): InnerCall[] {
  const offset = reader.smallNumber('offset of calls');
  reader.expectTail(offset, 'calls');
  const calls = reader.dynamicItems('calls', MAX_INNER_CALLS, () => readCallTuple(reader));
  reader.finish();
  return calls;
}

/** A call and the operation that an account makes of it: 0 is a call, 1 a delegatecall. */
export interface CallWithOperation {
  readonly to: Address;
  readonly valueWei: bigint;
  /** Digits without 0x. */
  readonly data: string;
  readonly operation: number;
}

/** `(address to, uint256 value, bytes data, uint8 operation)`: the Safe 4337 module, Kernel v2. */
export function readCallWithOperation(reader: CanonicalReader): CallWithOperation {
  const to = reader.address('target');
  const valueWei = reader.uint256('value');
  const dataOffset = reader.smallNumber('offset of data');
  const operation = reader.smallNumber('operation');
  reader.expectTail(dataOffset, 'data');
  const data = reader.bytes('data');
  reader.finish();
  return { to, valueWei, data, operation };
}

/** `((address to, uint256 value, bytes data) call)`: one call as a tuple. */
export function readCallInTuple(reader: CanonicalReader): InnerCall[] {
  reader.expectTail(reader.smallNumber('offset of call'), 'call');
  return readSingleCall(reader);
}

function readCallTuple(reader: CanonicalReader): InnerCall {
  const base = reader.here;
  const to = reader.address('target');
  const valueWei = reader.uint256('value');
  const dataOffset = reader.smallNumber('offset of data');
  reader.expectTail(dataOffset, 'data', base);
  return innerCall(to, valueWei, reader.bytes('data'));
}

function expectEqualLengths(targets: number, others: number): void {
  if (targets !== others) {
    throw new DecodeFailure('LENGTHS_DIFFER', `the batch has ${targets} targets but ${others} values or data items`);
  }
}
