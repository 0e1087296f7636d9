import type { Address, Hex } from './hex';

/** `0x7702` padded to 20 bytes: the factory that stands for an EIP-7702 delegation (EntryPoint v0.8 and v0.9). */
export const EIP7702_MARKER: Address = '0x7702000000000000000000000000000000000000';

/** What an account signs to run the code of another address (EIP-7702, `authorization_list`). */
export interface Eip7702Authorization {
  /** Zero stands for every chain. */
  readonly chainId: bigint;
  /** The delegate. */
  readonly address: Address;
  /** Of the account's transactions, not of its operations. */
  readonly nonce: bigint;
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: 0 | 1;
}

/** Code of a delegated account: this prefix and the delegate's address. */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/;

/** The code of an account that runs the code of that address by EIP-7702. */
export function delegationTo(delegate: Address): Hex {
  return `0xef0100${delegate.slice(2)}`;
}

/** Whose code an account with this code runs by EIP-7702; undefined where it does not delegate. */
export function delegateIn(code: Hex): Address | undefined {
  const digits = DELEGATION.exec(code.toLowerCase())?.[1];
  return digits === undefined ? undefined : `0x${digits}`;
}
