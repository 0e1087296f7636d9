import type { Address } from '@paymaster/domain';
import { shapesOf, type AccountFamily, type NamedContract } from './account-family';
import * as families from './families';

/** A contract whose code accounts run by EIP-7702, and how that reads call data. */
export interface KnownDelegate extends NamedContract {
  /** The shapes of `decodeCalls` that it has. Others mean something else to it, or nothing. */
  readonly shapes: ReadonlySet<string>;
}

/** Delegates that read call data the way this library does. */
export const KNOWN_DELEGATES: readonly KnownDelegate[] = Object.values(families).flatMap((family: AccountFamily) => {
  const shapes = shapesOf(family);
  return (family.delegates ?? []).map((delegate) => ({ ...delegate, shapes }));
});

const BY_ADDRESS: ReadonlyMap<string, KnownDelegate> = new Map(
  KNOWN_DELEGATES.map((delegate) => [delegate.address, delegate]),
);

/** What is known of a delegate; undefined where the platform does not know how it reads call data. */
export function knownDelegate(delegate: Address): KnownDelegate | undefined {
  return BY_ADDRESS.get(delegate.toLowerCase());
}
