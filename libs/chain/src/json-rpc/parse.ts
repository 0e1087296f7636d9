import { isHexBytes, type Hex } from '@paymaster/domain';

/** An upstream answer is not what its method promises. */
export class UnexpectedAnswerError extends Error {
  constructor(what: string, problem = 'is missing or malformed') {
    super(`${what} ${problem}`);
    this.name = 'UnexpectedAnswerError';
  }
}

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;

/** A JSON-RPC quantity: `0x` and 1 to 64 digits; leading zeros are let through. */
export function parseQuantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new UnexpectedAnswerError(what);
  return BigInt(value);
}

/** Whole bytes in hexadecimal. */
export function parseBytes(value: unknown, what: string): Hex {
  if (!isHexBytes(value)) throw new UnexpectedAnswerError(what);
  return value;
}

/** The ABI words of a call's return data; exactly `count` of them. */
export function parseWords(value: unknown, count: number, what: string): bigint[] {
  const bytes = parseBytes(value, what);
  if (bytes.length !== 2 + count * 64) throw new UnexpectedAnswerError(what);
  return Array.from({ length: count }, (_, index) => BigInt(`0x${bytes.slice(2 + index * 64, 66 + index * 64)}`));
}

/** A JSON object. */
export function parseRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnexpectedAnswerError(what);
  return value as Record<string, unknown>;
}

/** An integer as JSON-RPC writes it. */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** An unsigned integer as a storage word or an ABI word: `0x` and 64 digits. */
export function toWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
