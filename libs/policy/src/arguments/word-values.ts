import type { WordType } from './abi-signature';

const WORD_DIGITS = 64;
const INTEGER = /^-?\d{1,78}$/;
const HEX = /^0x[0-9a-f]+$/;

/** A word as its canonical encoding is compared. Numbers are compared by value, everything else by its digits. */
export interface WordReader {
  /** Whether a word of 64 lower-case digits is the one encoding of a value of this type: no bits outside it. */
  readonly isCanonical: (word: string) => boolean;
  /** The number in a canonical word; undefined for types without an order. */
  readonly toNumber: ((word: string) => bigint) | undefined;
  /** The word of a value as owners write it, or undefined when the type has no such value. */
  readonly encode: (value: string) => string | undefined;
}

/** How words of a type are read. Made once for each rule. */
export function wordReader(type: WordType): WordReader {
  switch (type.kind) {
    case 'uint':
      return uintReader(type.bits);
    case 'int':
      return intReader(type.bits);
    case 'bytes':
      return bytesReader(type.bytes);
    case 'address':
      return {
        isCanonical: startsWithZeros(WORD_DIGITS - 40),
        toNumber: undefined,
        encode: (value) => (isHexOf(value, 20) ? value.slice(2).toLowerCase().padStart(WORD_DIGITS, '0') : undefined),
      };
    case 'bool':
      return {
        isCanonical: (word) => word === BOOLS.false || word === BOOLS.true,
        toNumber: undefined,
        encode: (value) => (value === 'true' || value === 'false' ? BOOLS[value] : undefined),
      };
  }
}

const BOOLS = { false: '0'.repeat(WORD_DIGITS), true: '1'.padStart(WORD_DIGITS, '0') } as const;

function uintReader(bits: number): WordReader {
  return {
    isCanonical: startsWithZeros(WORD_DIGITS - bits / 4),
    toNumber: (word) => BigInt(`0x${word}`),
    encode: (value) => {
      const number = parseInteger(value);
      if (number === undefined || number < 0n || number >= 1n << BigInt(bits)) return undefined;
      return toWord(number);
    },
  };
}

function intReader(bits: number): WordReader {
  const half = 1n << BigInt(bits - 1);
  const width = BigInt(bits);
  return {
    // Sign-extended: encoding the value again gives the same word.
    isCanonical: (word) => toWord(BigInt.asIntN(bits, BigInt(`0x${word}`))) === word,
    toNumber: (word) => BigInt.asIntN(bits, BigInt(`0x${word}`)),
    encode: (value) => {
      const number = parseInteger(value);
      if (number === undefined || number < -half || number >= 1n << (width - 1n)) return undefined;
      return toWord(number);
    },
  };
}

function bytesReader(bytes: number): WordReader {
  const digits = bytes * 2;
  const padding = '0'.repeat(WORD_DIGITS - digits);
  return {
    isCanonical: (word) => word.endsWith(padding),
    toNumber: undefined,
    encode: (value) => (isHexOf(value, bytes) ? value.slice(2).toLowerCase() + padding : undefined),
  };
}

function startsWithZeros(count: number): (word: string) => boolean {
  const zeros = '0'.repeat(count);
  return (word) => word.startsWith(zeros);
}

function parseInteger(value: string): bigint | undefined {
  return INTEGER.test(value) || HEX.test(value.toLowerCase()) ? BigInt(value) : undefined;
}

function isHexOf(value: string, bytes: number): boolean {
  return value.length === 2 + 2 * bytes && HEX.test(value.toLowerCase());
}

/** Two's complement in 256 bits. */
function toWord(number: bigint): string {
  return BigInt.asUintN(256, number).toString(16).padStart(WORD_DIGITS, '0');
}
