import type { Address, SmartAccountKind } from '@paymaster/domain';

/** A contract whose code accounts run by EIP-7702, and how that reads call data. */
export interface KnownDelegate {
  readonly name: string;
  readonly kind: SmartAccountKind;
  readonly address: Address;
  /** The shapes of `decodeCalls` that it has. Others mean something else to it, or nothing. */
  readonly shapes: ReadonlySet<string>;
}

/**
 * Delegates that read call data the way this library does. None of them keeps anything in the account's storage that
 * could change how.
 */
export const KNOWN_DELEGATES: readonly KnownDelegate[] = [
  {
    // viem 2.57 accounts/implementations/toSimple7702SmartAccount.ts, permissionless 0.3.7 to7702SimpleSmartAccount.ts:
    // Simple7702Account of @account-abstraction/contracts 0.8.0, which the test proves.
    name: 'Simple7702Account for EntryPoint v0.8',
    kind: 'INFINITISM',
    address: '0xe6cae83bde06e4c305530e199d7217f42808555b',
    // Its fallback takes every other selector and does nothing.
    shapes: new Set(['none', 'execute', 'executeBatchOfTuples']),
  },
];

const BY_ADDRESS: ReadonlyMap<string, KnownDelegate> = new Map(
  KNOWN_DELEGATES.map((delegate) => [delegate.address, delegate]),
);

/** What is known of a delegate; undefined where nobody can say how it reads call data. */
export function knownDelegate(delegate: Address): KnownDelegate | undefined {
  return BY_ADDRESS.get(delegate.toLowerCase());
}
