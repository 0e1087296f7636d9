import type { Address } from '@paymaster/domain';
import { DecodeFailure } from './decode-result';

const WORD_DIGITS = 64;
const ADDRESS_PADDING = '0'.repeat(24);
const SMALL_NUMBER_PADDING = '0'.repeat(56);
const ZERO_WORD = '0'.repeat(WORD_DIGITS);

/**
 * Reads ABI-encoded arguments front to back, and only in their canonical form: every tail starts where the one
 * before it ended, unused bits are zero, padding is zero and present, nothing follows the end. Encoding what was
 * read gives the same bytes again, so no decoder that follows the ABI can read them in another way.
 *
 * Works on the hexadecimal digits themselves: no copy, no library (see "Decode execute()" in the benchmarks).
 * Every method throws {@link DecodeFailure} when the data is not canonical.
 */
export class CanonicalReader {
  private position: number;

  /**
   * @param digits lower-case hexadecimal digits without `0x`
   * @param start index of the first digit that belongs to the arguments
   * @param end index after the last one
   * @param suffix so many digits may follow the arguments, of whatever content
   */
  constructor(
    readonly digits: string,
    private readonly start: number,
    private readonly end: number = digits.length,
    private readonly suffix = 0,
  ) {
    this.position = start;
  }

  /** A word as 64 digits. */
  word(what: string): string {
    const at = this.skip(WORD_DIGITS, what);
    return this.digits.slice(at, at + WORD_DIGITS);
  }

  address(what: string): Address {
    const at = this.skip(WORD_DIGITS, what);
    if (!this.digits.startsWith(ADDRESS_PADDING, at)) throw notCanonical(`${what} has bits above an address`);
    return `0x${this.digits.slice(at + ADDRESS_PADDING.length, at + WORD_DIGITS)}`;
  }

  uint256(what: string): bigint {
    const at = this.skip(WORD_DIGITS, what);
    // Stryker disable next-line ConditionalExpression: the next line says 0n too, but takes longer
    if (this.digits.startsWith(ZERO_WORD, at)) return 0n;
    return BigInt(`0x${this.digits.slice(at, at + WORD_DIGITS)}`);
  }

  /** A length, count, offset or enum: anything of 2^32 and more is out of any bound we have. */
  smallNumber(what: string): number {
    const at = this.skip(WORD_DIGITS, what);
    if (!this.digits.startsWith(SMALL_NUMBER_PADDING, at)) throw notCanonical(`a number for ${what} is out of bounds`);
    return parseInt(this.digits.slice(at + SMALL_NUMBER_PADDING.length, at + WORD_DIGITS), 16);
  }

  /** The length of an array, at most `most`. */
  count(what: string, most: number): number {
    const count = this.smallNumber(what);
    if (count > most) throw new DecodeFailure('TOO_MANY_CALLS', `${count} ${what}, more than ${most}`);
    return count;
  }

  /** A `bytes` tail: the digits of its content. */
  bytes(what: string): string {
    const length = this.smallNumber(what);
    const at = this.skip(length * 2, what);
    const padding = (WORD_DIGITS - ((length * 2) % WORD_DIGITS)) % WORD_DIGITS;
    const paddingAt = this.skip(padding, what);
    if (!this.digits.startsWith(ZERO_WORD.slice(0, padding), paddingAt)) {
      throw notCanonical(`padding of ${what} is not zero`);
    }
    return this.digits.slice(at, at + length * 2);
  }

  /** An `address[]` tail. */
  addresses(what: string, most: number): Address[] {
    const count = this.count(what, most);
    return Array.from({ length: count }, () => this.address(what));
  }

  /** A `uint256[]` tail. */
  uints(what: string, most: number): bigint[] {
    const count = this.count(what, most);
    return Array.from({ length: count }, () => this.uint256(what));
  }

  /** A tail of `count` dynamic items: their offsets, then the items in the same order without a gap. */
  dynamicItems<T>(what: string, most: number, readItem: () => T): T[] {
    const count = this.count(what, most);
    const base = this.position;
    const offsets = Array.from({ length: count }, () => this.smallNumber(what));
    return offsets.map((offset) => {
      this.expectTail(offset, what, base);
      return readItem();
    });
  }

  /** Asserts that the tail an offset speaks of starts right here. */
  expectTail(offset: number, what: string, base = this.start): void {
    if (base + offset * 2 !== this.position) throw notCanonical(`offset of ${what} is not where its data starts`);
  }

  /** Index of the next digit; for {@link expectTail} of a nested tuple, and for where a suffix starts. */
  get here(): number {
    return this.position;
  }

  /** Asserts that nothing is left but a suffix. */
  finish(): void {
    if (this.end - this.position > this.suffix) throw notCanonical('there are bytes after the arguments');
  }

  private skip(digits: number, what: string): number {
    const at = this.position;
    if (at + digits > this.end) throw notCanonical(`the data ends before ${what} does`);
    this.position = at + digits;
    return at;
  }
}

function notCanonical(detail: string): DecodeFailure {
  return new DecodeFailure('NOT_CANONICAL', detail);
}
