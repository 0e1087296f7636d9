/** A `0x`-prefixed string of hexadecimal digits. */
export type Hex = `0x${string}`;

/** A 20-byte address in lower case, the only form addresses have inside the platform. */
export type Address = Hex;

/** `0x` and hexadecimal digits, as a schema writes it. */
export const HEX_PATTERN = '^0x[0-9a-fA-F]*$';
const HEX = new RegExp(HEX_PATTERN);
/** Characters from which on decoding is quicker than matching. */
const LONG_TEXT = 200;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * True for texts of {@link HEX_PATTERN}.
 *
 * A long text is decoded and not matched, which takes a quarter of the time. The decoder stops at the first character
 * that is no digit. But it reads only one byte of each character, so other alphabets are refused before: their characters
 * take several bytes in UTF-8.
 */
export function isHexText(text: string): boolean {
  if (text.length < LONG_TEXT || text.length % 2 !== 0) return HEX.test(text);
  if (!text.startsWith('0x') || Buffer.byteLength(text) !== text.length) return false;
  return Buffer.from(text.slice(2), 'hex').length === text.length / 2 - 1;
}

/** True for `0x` followed by an even number of hexadecimal digits, that is: whole bytes. */
export function isHexBytes(value: unknown): value is Hex {
  return typeof value === 'string' && value.length % 2 === 0 && isHexText(value);
}

/** True for a 20-byte address in any case. EIP-55 checksums are not verified: clients send every form. */
export function isAddress(value: unknown): value is Hex {
  return typeof value === 'string' && ADDRESS.test(value);
}

/** The one form addresses have inside the platform. Compare only what went through here. */
export function normalizeAddress(value: string): Address {
  return value.toLowerCase() as Address;
}

/** Number of bytes in a hex string. */
export function byteLength(value: Hex): number {
  return (value.length - 2) / 2;
}

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
