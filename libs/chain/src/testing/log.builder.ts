import type { Address, Hex } from '@paymaster/domain';
import { randomHex } from '@paymaster/domain/testing';
import type { Log } from '../providers/log';

/** A number or an address as a word. */
export const word = (value: bigint | number | Hex): Hex =>
  `0x${(typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')}`;

/** A log of a contract: the event's topic and indexed words, then the words of its data. */
export function logOf(
  address: Address,
  [topic, ...indexed]: readonly [Hex, ...Array<Hex | bigint>],
  data: ReadonlyArray<bigint | number>,
  place: Partial<Log> = {},
): Log {
  return {
    address,
    topics: [topic, ...indexed.map(word)],
    data: `0x${data.map((value) => word(value).slice(2)).join('')}`,
    blockNumber: 1n,
    blockHash: word(1n),
    transactionHash: randomHex(32),
    logIndex: 0n,
    ...place,
  };
}
