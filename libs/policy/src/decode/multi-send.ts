import type { Address } from '@paymaster/domain';
import { CanonicalReader } from './canonical-reader';
import { DecodeFailure, innerCall, MAX_INNER_CALLS, type InnerCall } from './decode-result';

/** One packed transaction of a MultiSend; `operation` 1 is a delegatecall. */
export interface MultiSendTransaction extends InnerCall {
  readonly operation: number;
}

/** `multiSend(bytes)` */
const SELECTOR = '8d80ff0a';
const OPERATION_DIGITS = 2;
const ADDRESS_DIGITS = 40;
const WORD_DIGITS = 64;
/** operation (1 byte), to (20), value (32), data length (32). */
const HEAD_DIGITS = OPERATION_DIGITS + ADDRESS_DIGITS + 2 * WORD_DIGITS;
const LENGTH_PADDING = '0'.repeat(56);

/**
 * The transactions in `multiSend(bytes)` call data, packed one behind the other without padding.
 *
 * @throws DecodeFailure when it is another function, or not exactly whole transactions
 * @see safe-global/safe-smart-account MultiSend.sol
 */
export function readMultiSend(dataDigits: string): MultiSendTransaction[] {
  if (!dataDigits.startsWith(SELECTOR)) {
    throw new DecodeFailure('UNKNOWN_SHAPE', 'the MultiSend contract is called with another function');
  }
  const reader = new CanonicalReader(dataDigits, 8);
  const offset = reader.smallNumber('offset of transactions');
  reader.expectTail(offset, 'transactions');
  const packed = reader.bytes('transactions');
  reader.finish();

  const transactions: MultiSendTransaction[] = [];
  for (let at = 0; at < packed.length;) {
    if (transactions.length === MAX_INNER_CALLS) {
      throw new DecodeFailure('TOO_MANY_CALLS', `the MultiSend has more than ${MAX_INNER_CALLS} transactions`);
    }
    const dataAt = at + HEAD_DIGITS;
    if (dataAt > packed.length) throw new DecodeFailure('NOT_CANONICAL', 'the MultiSend ends inside a transaction');
    const lengthAt = dataAt - WORD_DIGITS;
    const next = dataAt + 2 * readLength(packed, lengthAt);
    if (next > packed.length) throw new DecodeFailure('NOT_CANONICAL', 'the MultiSend ends inside a transaction');
    const toAt = at + OPERATION_DIGITS;
    const valueAt = toAt + ADDRESS_DIGITS;
    const to: Address = `0x${packed.slice(toAt, valueAt)}`;
    transactions.push({
      operation: parseInt(packed.slice(at, toAt), 16),
      ...innerCall(to, BigInt(`0x${packed.slice(valueAt, lengthAt)}`), packed.slice(dataAt, next)),
    });
    at = next;
  }
  return transactions;
}

function readLength(packed: string, at: number): number {
  if (!packed.startsWith(LENGTH_PADDING, at)) {
    throw new DecodeFailure('NOT_CANONICAL', 'a length in the MultiSend is out of bounds');
  }
  return parseInt(packed.slice(at + LENGTH_PADDING.length, at + WORD_DIGITS), 16);
}
