import type { Address } from '@paymaster/domain';
import { compileKnownImplementations, type KnownImplementations } from './is-known-account';
import { compileKnownDelegates, type KnownDelegates } from './known-delegates';
import { compileKnownFactories, type KnownFactories } from './known-factories';

/** Contracts of accounts for which the operator of a chain vouches: the accounts read call data as this library does. */
export interface OperatorAccounts {
  readonly factories?: readonly Address[];
  readonly implementations?: readonly Address[];
  readonly delegates?: readonly Address[];
}

/** What is known of accounts on a chain, ready for look-up. */
export interface KnownAccounts {
  readonly factories: KnownFactories;
  readonly implementations: KnownImplementations;
  readonly delegates: KnownDelegates;
}

/** What the families know, and the operator besides. Call once, at start. */
export function compileKnownAccounts({ factories, implementations, delegates }: OperatorAccounts = {}): KnownAccounts {
  return {
    factories: compileKnownFactories(factories),
    implementations: compileKnownImplementations(implementations),
    delegates: compileKnownDelegates(delegates),
  };
}

/** What the families know. */
export const BUILT_IN_ACCOUNTS = compileKnownAccounts();
