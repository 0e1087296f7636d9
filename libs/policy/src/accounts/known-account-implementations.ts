import { normalizeAddress, type Address, type SmartAccountKind } from '@paymaster/domain';
import { KNOWN_SAFE_SINGLETONS } from './known-safe-contracts';

export interface KnownAccountImplementation {
  readonly name: string;
  readonly kind: SmartAccountKind | 'OPERATOR';
  readonly address: Address;
}

/**
 * Implementations that deployed account proxies of the known kinds point to, for `requireKnownAccounts`.
 *
 * Where a proxy keeps it: SimpleAccount and Nexus in the ERC-1967 slot, Biconomy V1 and V2 in the slot that is
 * the proxy's own address, Safe in slot 0.
 */
export const KNOWN_ACCOUNT_IMPLEMENTATIONS: readonly KnownAccountImplementation[] = [
  {
    // The factory's first creation (nonce 1), in its constructor: proven by the test, as the two below.
    name: 'SimpleAccount for EntryPoint v0.6',
    kind: 'INFINITISM',
    address: '0x8abb13360b87be5eeb1b98647a016add927a136c',
  },
  {
    name: 'SimpleAccount for EntryPoint v0.7',
    kind: 'INFINITISM',
    address: '0x68641de71cfea5a5d0d29712449ee254bb1400c2',
  },
  {
    name: 'SimpleAccount for EntryPoint v0.8',
    kind: 'INFINITISM',
    address: '0x28426d752372d68d34340bd94390950dce3c9ec3',
  },
  {
    // bcnmy/scw-contracts CHANGELOG, "Version 2.0.0-launch" (PROD_WALLET_IMP_V0_11042023)
    name: 'Biconomy Smart Account V1',
    kind: 'BICONOMY',
    address: '0x00006b7e42e01957da540dc6a8f7c30c4d816af5',
  },
  {
    // permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts (ACCOUNT_V2_0_LOGIC)
    name: 'Biconomy Smart Account V2',
    kind: 'BICONOMY',
    address: '0x0000002512019dafb59528b82cb92d3c5d2423ac',
  },
  {
    // bcnmy/sdk constants (MAINNET_ADDRESS_NEXUS_IMPLEMENTATION_ADDRESS)
    name: 'Biconomy Nexus 1.0.0',
    kind: 'BICONOMY',
    address: '0x000000039dfcad030719b07296710f045f0558f7',
  },
  ...[...KNOWN_SAFE_SINGLETONS].map((address): KnownAccountImplementation => ({ name: 'Safe', kind: 'SAFE', address })),
];

/** Addresses of the known implementations and those the operator vouches for. Call once, at start. */
export function compileKnownImplementations(operatorImplementations: readonly Address[] = []): ReadonlySet<Address> {
  return new Set([
    ...KNOWN_ACCOUNT_IMPLEMENTATIONS.map(({ address }) => address),
    ...operatorImplementations.map(normalizeAddress),
  ]);
}
