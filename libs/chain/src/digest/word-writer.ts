/** Bytes of one ABI word. */
export const WORD_BYTES = 32;
/** Values up to this are written as a number, without a string of digits: gas, fees of most chains, times. */
const SMALL_BYTES = 6;
const MAX_SMALL = 2n ** 48n - 1n;

/**
 * Writes ABI words into one buffer, by hand: an ethers encoder costs more than the signature itself.
 * Every method checks that the value fits its type, so nothing is ever cut off silently.
 */
export class WordWriter {
  private offset = 0;

  constructor(readonly bytes: Buffer) {}

  /** An unsigned integer of at most `bits` bits; throws a {@link UintRangeError} naming it otherwise. */
  uint(name: string, value: bigint, bits: number): this {
    if (value < 0n || value > MAX_SMALL) return this.digits(uintDigits({ name, value, bits }));
    const small = Number(value);
    if (small >= 2 ** bits) throw new UintRangeError(name, bits);
    this.zeros();
    this.bytes.writeUIntBE(small, this.offset + WORD_BYTES - SMALL_BYTES, SMALL_BYTES);
    this.offset += WORD_BYTES;
    return this;
  }

  /** Two 128-bit integers in one word, as v0.7 packs its gas fields: `high ++ low`. */
  packedUint128(high: { name: string; value: bigint }, low: { name: string; value: bigint }): this {
    return this.digits(uintDigits({ ...high, bits: 128 }) + low128(low));
  }

  /** A 20-byte address. */
  address(name: string, value: string): this {
    if (value.length !== 42) throw new RangeError(`${name} is not an address`);
    return this.digits(value.slice(2));
  }

  /** 32 bytes as they are. */
  bytes32(value: Uint8Array): this {
    this.bytes.set(value, this.offset);
    this.offset += WORD_BYTES;
    return this;
  }

  /** Hexadecimal digits, at the right end of the word. */
  private digits(digits: string): this {
    const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
    const length = whole.length / 2;
    this.zeros();
    this.offset += WORD_BYTES;
    const written = this.bytes.write(whole, this.offset - length, 'hex');
    if (written !== length) throw new RangeError('not a word of hexadecimal digits');
    return this;
  }

  private zeros(): void {
    this.bytes.fill(0, this.offset, this.offset + WORD_BYTES);
  }
}

/** A value does not fit the type it has on chain. */
export class UintRangeError extends RangeError {
  constructor(
    readonly field: string,
    readonly bits: number,
  ) {
    super(`${field} does not fit an unsigned integer of ${bits} bits`);
    this.name = 'UintRangeError';
  }
}

function uintDigits(input: { name: string; value: bigint; bits: number }): string {
  if (input.value < 0n) throw new UintRangeError(input.name, input.bits);
  const digits = input.value.toString(16);
  if (digits.length * 4 > input.bits) throw new UintRangeError(input.name, input.bits);
  return digits;
}

function low128(low: { name: string; value: bigint }): string {
  return uintDigits({ ...low, bits: 128 }).padStart(32, '0');
}
