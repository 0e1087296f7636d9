import { normalizeAddress, type Address } from '@paymaster/domain';
import { shapesOf, type AccountFamily, type NamedContract } from './account-family';
import * as families from './families';

/** A contract whose code accounts run by EIP-7702, and how that reads call data. */
export interface KnownDelegate extends NamedContract {
  /**
   * The shapes of `decodeCalls` that it has; others mean something else to it, or nothing. Left out where the operator
   * vouches for it.
   */
  readonly shapes?: ReadonlySet<string>;
}

/** Delegates by address, made once by {@link compileKnownDelegates}. */
export type KnownDelegates = ReadonlyMap<Address, KnownDelegate>;

/** Delegates that read call data the way this library does. */
export const KNOWN_DELEGATES: readonly KnownDelegate[] = Object.values(families).flatMap((family: AccountFamily) => {
  const shapes = shapesOf(family);
  return (family.delegates ?? []).map((delegate) => ({ ...delegate, shapes }));
});

/** The known delegates and those the operator vouches for, ready for look-up. Call once, at start. */
export function compileKnownDelegates(operatorDelegates: readonly Address[] = []): KnownDelegates {
  const fromOperator = operatorDelegates.map((address): KnownDelegate => ({
    name: "delegate from the operator's list",
    address: normalizeAddress(address),
  }));
  // The built-in entries come last: an operator's entry must not switch off the check of functions.
  return new Map([...fromOperator, ...KNOWN_DELEGATES].map((delegate) => [delegate.address, delegate]));
}

const BUILT_IN_DELEGATES = compileKnownDelegates();

/** What is known of a delegate; undefined where nobody knows how it reads call data. */
export function knownDelegate(delegate: Address, delegates = BUILT_IN_DELEGATES): KnownDelegate | undefined {
  return delegates.get(delegate.toLowerCase() as Address);
}
