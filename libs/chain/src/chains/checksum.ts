import { getAddress } from 'ethers';

/** What is wrong with an address that {@link hasWrongChecksum}, behind the name of its field. */
export const WRONG_CHECKSUM = 'has a wrong checksum (EIP-55): check its digits, or send it in lower case';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * Whether an address is in mixed case, and another one than its EIP-55 checksum: then a digit is probably mistyped. An
 * address all in lower or all in upper case has no checksum.
 */
export function hasWrongChecksum(address: string): boolean {
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return false;
  try {
    getAddress(address);
    return false;
  } catch {
    return true;
  }
}

/**
 * The path of the first address in a parsed JSON value that has a wrong checksum: `chains.0.knownAccounts.factories.1`.
 *
 * @param skipped names of members that may hold other bytes than addresses
 */
export function findWrongChecksum(value: unknown, skipped: ReadonlySet<string> = new Set()): string | undefined {
  if (typeof value === 'string') return ADDRESS.test(value) && hasWrongChecksum(value) ? '' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = skipped.has(name) ? undefined : findWrongChecksum(member, skipped);
    if (found !== undefined) return found === '' ? name : `${name}.${found}`;
  }
  return undefined;
}
