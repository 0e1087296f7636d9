import type { Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import { LRUCache } from 'lru-cache';
import type { Log } from '../providers/log';

const BYTES = 256;

/** Remembered, because most logs have the same few addresses and first topics. */
const knownBits = new LRUCache<Hex, readonly number[]>({ max: 20_000 });

/**
 * The 2048-bit bloom filter of a header (yellow paper, 4.3.1): it holds the address and every topic of every log of
 * the block, and with luck little else. So "not in it" is certain, and "in it" means: read the logs.
 */
export class LogsBloom {
  private readonly bytes: Uint8Array;

  constructor(bloom: Hex) {
    this.bytes = Buffer.from(bloom.slice(2), 'hex');
  }

  /** False: no log of the block has this address or topic. */
  mayHold(item: Hex): boolean {
    return bitsOf(item).every((bit) => this.isSet(bit));
  }

  /** False: the log is not of this block. */
  mayHoldLog({ address, topics }: Pick<Log, 'address' | 'topics'>): boolean {
    return this.mayHold(address) && topics.every((topic) => this.mayHold(topic));
  }

  /** Whether these logs set every bit; otherwise the block has more logs. */
  isExplainedBy(logs: Iterable<Pick<Log, 'address' | 'topics'>>): boolean {
    const explained = new Uint8Array(BYTES);
    for (const { address, topics } of logs)
      for (const item of [address, ...topics]) for (const bit of bitsOf(item)) explained[byteOf(bit)]! |= maskOf(bit);
    return this.bytes.every((byte, index) => (byte & ~explained[index]!) === 0);
  }

  private isSet(bit: number): boolean {
    return (this.bytes[byteOf(bit)]! & maskOf(bit)) !== 0;
  }
}

/** The positions of the item's three bits: the low 11 bits of each of the first three byte pairs of its hash. */
function bitsOf(item: Hex): readonly number[] {
  const known = knownBits.get(item);
  if (known) return known;
  const hash = keccak256(item);
  const bits = [2, 6, 10].map((at) => Number.parseInt(hash.slice(at, at + 4), 16) & 0x7ff);
  knownBits.set(item, bits);
  return bits;
}

const byteOf = (bit: number) => BYTES - 1 - (bit >> 3);
const maskOf = (bit: number) => 1 << (bit & 7);
