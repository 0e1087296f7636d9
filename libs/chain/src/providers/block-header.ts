import type { Hex } from '@paymaster/domain';
import { parseBytes, parseQuantity, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';
import { parseWord } from './log';

const BLOOM_LENGTH = 2 + 512;

/** A mined block's place in the chain, and what its header says of its logs. */
export interface BlockHeader {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timeSeconds: number;
  /** Wei per gas; zero on chains without EIP-1559. */
  readonly baseFeePerGasWei: bigint;
  /** 256 bytes; see `blocks/logs-bloom.ts`. */
  readonly logsBloom: Hex;
}

/**
 * The answer to `eth_getBlockByNumber` or `eth_getBlockByHash`; undefined for a block that the node does not know.
 *
 * @throws {UnexpectedAnswerError}
 */
export function parseBlockHeader(value: unknown): BlockHeader | undefined {
  if (value === null) return undefined;
  const block = parseRecord(value, 'block');
  const timestamp = parseQuantity(block['timestamp'], 'block.timestamp');
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnexpectedAnswerError('block.timestamp');
  const number = parseQuantity(block['number'], 'block.number');
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnexpectedAnswerError('block.number');
  const logsBloom = parseBytes(block['logsBloom'], 'block.logsBloom').toLowerCase() as Hex;
  if (logsBloom.length !== BLOOM_LENGTH) throw new UnexpectedAnswerError('block.logsBloom');
  return {
    number,
    hash: parseWord(block['hash'], 'block.hash'),
    parentHash: parseWord(block['parentHash'], 'block.parentHash'),
    timeSeconds: Number(timestamp),
    baseFeePerGasWei:
      block['baseFeePerGas'] === undefined ? 0n : parseQuantity(block['baseFeePerGas'], 'block.baseFeePerGas'),
    logsBloom,
  };
}

/** All members of the header as text: two nodes agree on a header when all members are equal. */
export function headerKey(header: BlockHeader | undefined): string {
  if (!header) return UNKNOWN_BLOCK;
  const { number, hash, parentHash, timeSeconds, baseFeePerGasWei, logsBloom } = header;
  return [number, hash, parentHash, timeSeconds, baseFeePerGasWei, logsBloom].join();
}

/** The answer of a node that lags behind: it does not lie, but does not know the current state. */
export const UNKNOWN_BLOCK = 'unknown';
