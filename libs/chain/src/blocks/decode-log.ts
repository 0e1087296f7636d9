import type { Address, Hex } from '@paymaster/domain';
import { UnexpectedAnswerError } from '../json-rpc/parse';
import type { Log } from '../providers/log';

/** The 32-byte words of a log: its indexed ones, then its data. */
export interface LogWords {
  readonly topics: readonly Hex[];
  readonly data: readonly bigint[];
}

/**
 * Splits a log whose event has the given numbers of indexed and other members, all of them static.
 *
 * @throws {UnexpectedAnswerError} when the log has others: it is not of the contract that it names
 */
export function logWords(log: Log, { indexed, data }: { indexed: number; data: number }): LogWords {
  const { topics, data: bytes } = log;
  if (topics.length !== indexed + 1 || bytes.length !== 2 + data * 64)
    throw new UnexpectedAnswerError('log', 'does not have the form of its event');
  return {
    topics: topics.slice(1),
    data: Array.from({ length: data }, (_, at) => BigInt(`0x${bytes.slice(2 + at * 64, 66 + at * 64)}`)),
  };
}

/** @throws {UnexpectedAnswerError} when the word holds more than an address */
export function toAddress(word: Hex | undefined): Address {
  if (!word || !word.startsWith(`0x${'0'.repeat(24)}`)) throw new UnexpectedAnswerError('log', 'holds no address');
  return `0x${word.slice(26)}`;
}
