import { normalizeAddress, type Address, type SmartAccountKind } from '@paymaster/domain';
import type { NonceLayout } from './known-validators';

/** How a factory chooses the code of the account it deploys; says what else has to be checked. */
export type FactorySetup =
  /** Code and modules are fixed in the factory, or the operator vouches for it. */
  | 'fixed'
  /** The caller names the first module, see `checkBiconomySetup`. */
  | 'biconomyV2'
  /** The caller names singleton and initializer, see `checkSafeSetup`. */
  | 'safe';

export interface KnownAccountFactory {
  readonly name: string;
  /** The account kind it deploys, or OPERATOR for one the operator vouches for. */
  readonly kind: SmartAccountKind | 'OPERATOR';
  readonly address: Address;
  readonly setup: FactorySetup;
  /** Of accounts whose nonce says how they validate. */
  readonly nonceLayout?: NonceLayout;
}

/** Factories by address, made once by {@link compileKnownFactories}. */
export type KnownFactories = ReadonlyMap<Address, KnownAccountFactory>;

/**
 * Factories whose accounts read call data the way this library does.
 *
 * A factory that lets its caller choose the account's code is not listed, unless that choice is checked too:
 * Nexus' `NexusAccountFactory` is left out for this reason, its initData is a delegatecall to anything.
 */
export const KNOWN_ACCOUNT_FACTORIES: readonly KnownAccountFactory[] = [
  {
    // permissionless 0.3.7 accounts/simple/toSimpleSmartAccount.ts, as the two below
    name: 'SimpleAccountFactory for EntryPoint v0.6',
    kind: 'INFINITISM',
    address: '0x9406cc6185a346906296840746125a0e44976454',
    setup: 'fixed',
  },
  {
    name: 'SimpleAccountFactory for EntryPoint v0.7',
    kind: 'INFINITISM',
    address: '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985',
    setup: 'fixed',
  },
  {
    name: 'SimpleAccountFactory for EntryPoint v0.8',
    kind: 'INFINITISM',
    address: '0x13e9ed32155810fdbd067d4522c492d6f68e5944',
    setup: 'fixed',
  },
  {
    // Where the code of @account-abstraction/contracts 0.9.0-rc.1 lands by CREATE2, and nothing else can.
    name: 'SimpleAccountFactory for EntryPoint v0.9, release candidate',
    kind: 'INFINITISM',
    address: '0xedd9667c46f5fc5115ec33940df899ad4eae5949',
    setup: 'fixed',
  },
  {
    // bcnmy/scw-contracts CHANGELOG, "Version 2.0.0-launch" (PROD_WALLET_FACTORY_V0_11042023)
    name: 'Biconomy Smart Account V1 factory',
    kind: 'BICONOMY',
    address: '0x000000f9ee1842bb72f6bbdd75e6d3d4e3e9594c',
    setup: 'fixed',
  },
  {
    // permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts
    name: 'Biconomy Smart Account V2 factory',
    kind: 'BICONOMY',
    address: '0x000000a56aaca3e9a4c479ea6b6cd0dbcb6634f5',
    setup: 'biconomyV2',
  },
  {
    // permissionless 0.3.7 accounts/nexus/toNexusSmartAccount.ts
    name: 'Biconomy Nexus K1 validator factory',
    kind: 'BICONOMY',
    address: '0x00000bb19a3579f4d779215def97afbd0e30db55',
    setup: 'fixed',
    nonceLayout: 'nexus',
  },
  {
    // permissionless 0.3.7 accounts/safe/toSafeSmartAccount.ts, as the one below
    name: 'Safe proxy factory 1.4.1',
    kind: 'SAFE',
    address: '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67',
    setup: 'safe',
  },
  {
    name: 'Safe proxy factory 1.5.0',
    kind: 'SAFE',
    address: '0x14f2982d601c9458f93bd70b218933a6f8165e7b',
    setup: 'safe',
  },
];

/** The known factories and those the operator vouches for, ready for look-up. Call once, at start. */
export function compileKnownFactories(operatorFactories: readonly Address[] = []): KnownFactories {
  const fromOperator = operatorFactories.map((address): KnownAccountFactory => ({
    name: "factory from the operator's list",
    kind: 'OPERATOR',
    address: normalizeAddress(address),
    setup: 'fixed',
  }));
  // The built-in entries come last: an operator's entry must not switch off the check of a setup.
  return new Map([...fromOperator, ...KNOWN_ACCOUNT_FACTORIES].map((factory) => [factory.address, factory]));
}
