import { factoryOf, type Address, type Hex, type UserOperation } from '@paymaster/domain';
import { compileKnownImplementations, type KnownImplementations } from './known-implementations';
import { compileKnownDelegates, type KnownDelegates } from './known-delegates';
import { compileKnownFactories, type KnownAccountFactory, type KnownFactories } from './known-factories';

/** Contracts of accounts for which the operator of a chain vouches: the accounts read call data as this library does. */
export interface OperatorAccounts {
  readonly factories?: readonly Address[];
  readonly implementations?: readonly Address[];
  readonly delegates?: readonly Address[];
  /** Keccak-256 of code that the chain may have at the addresses of known factories, besides the published code. */
  readonly codeHashes?: readonly Hex[];
}

/** What is known of accounts on a chain, ready for look-up. */
export interface KnownAccounts {
  readonly factories: KnownFactories;
  readonly implementations: KnownImplementations;
  readonly delegates: KnownDelegates;
  /** Hashes of code for which the operator vouches at the addresses of known factories. */
  readonly codeHashes: ReadonlySet<Hex>;
}

/** What the families know, and the operator besides. Call once, at start. */
export function compileKnownAccounts({
  factories,
  implementations,
  delegates,
  codeHashes,
}: OperatorAccounts = {}): KnownAccounts {
  return {
    factories: compileKnownFactories(factories),
    implementations: compileKnownImplementations(implementations),
    delegates: compileKnownDelegates(delegates),
    codeHashes: new Set(codeHashes),
  };
}

/** What the families know. */
export const BUILT_IN_ACCOUNTS = compileKnownAccounts();

/** The known factory that the operation names; undefined where it names none, or another. Which code is there it doesn't say. */
export function knownFactoryOf(
  operation: UserOperation,
  { factories }: Pick<KnownAccounts, 'factories'> = BUILT_IN_ACCOUNTS,
): KnownAccountFactory | undefined {
  const factory = factoryOf(operation)?.factory;
  return factory && factories.get(factory.toLowerCase() as Address);
}
