import { parseQuantity, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';

/** A block as far as this platform reads it. */
export interface Block {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestampSeconds: number;
  /** Wei per gas; zero on chains without EIP-1559. */
  readonly baseFeePerGasWei: bigint;
}

/** @throws {UnexpectedAnswerError} */
export function parseBlock(value: unknown): Block {
  const block = parseRecord(value, 'block');
  const timestamp = parseQuantity(block['timestamp'], 'block.timestamp');
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnexpectedAnswerError('block.timestamp');
  return {
    number: parseQuantity(block['number'], 'block.number'),
    timestampSeconds: Number(timestamp),
    baseFeePerGasWei:
      block['baseFeePerGas'] === undefined ? 0n : parseQuantity(block['baseFeePerGas'], 'block.baseFeePerGas'),
  };
}
