import { numberToHex } from 'viem';
import type { Address } from '@paymaster/domain';
import { rpc } from './json-rpc';

/** Code that does nothing: what counts is that it is there. */
const CODE = '0x00';
/** Calls to the node at once. */
const AT_ONCE = 50;

/**
 * Puts accounts on an Anvil chain for those whose operations never land: a gateway signs for no account without code.
 *
 * @param first address of the first of them, as a number; the others follow it
 */
export async function placeAccounts(rpcUrl: string, { first, count }: { first: bigint; count: number }) {
  const accounts = Array.from({ length: count }, (_, index): Address =>
    numberToHex(first + BigInt(index), { size: 20 }),
  );
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = accounts.slice(from, from + AT_ONCE);
    await Promise.all(some.map((account) => rpc(rpcUrl, 'anvil_setCode', [account, CODE])));
  }
  return accounts;
}
