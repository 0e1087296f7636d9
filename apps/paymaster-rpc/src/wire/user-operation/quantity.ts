import { InvalidParamsError } from '@paymaster/domain';

/** A value of a quantity field, of a shape the schema has accepted. */
export type RawQuantity = string | number | undefined;

/**
 * A quantity in any form clients send: hex (leading zeros and odd length allowed), decimal text, an integer. `0x`
 * and absent are zero, which for a limit means "not given".
 *
 * @throws {InvalidParamsError} when it needs more than `bits`
 */
export function parseQuantity(value: RawQuantity, { field, bits }: { field: string; bits: 64 | 128 | 256 }): bigint {
  if (value === undefined || value === '0x') return 0n;
  const quantity = BigInt(value);
  if (quantity >> BigInt(bits) === 0n) return quantity;
  throw new InvalidParamsError(field, `${field} does not fit ${bits} bits.`);
}
