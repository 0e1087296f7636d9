/** A `0x`-prefixed string of hexadecimal digits. */
export type Hex = `0x${string}`;

/** A 20-byte address in lower case, the only form addresses have inside the platform. */
export type Address = Hex;

const HEX = /^0x[0-9a-fA-F]*$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** True for `0x` followed by an even number of hexadecimal digits, that is: whole bytes. */
export function isHexBytes(value: unknown): value is Hex {
  return typeof value === 'string' && value.length % 2 === 0 && HEX.test(value);
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
