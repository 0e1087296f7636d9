import { normalizeAddress, type Address, type SmartAccountKind } from '@paymaster/domain';
import { KNOWN_ACCOUNT_PROXIES, type KnownAccountProxyName } from './known-account-proxies';
import { KNOWN_SAFE_SINGLETONS } from './known-safe-contracts';
import type { NonceLayout } from './known-validators';

export interface KnownAccountImplementation {
  readonly name: string;
  readonly kind: SmartAccountKind | 'OPERATOR';
  readonly address: Address;
  /** The proxies it is known behind; see `known-account-proxies.ts`. */
  readonly proxies: readonly KnownAccountProxyName[];
  /** Of accounts whose nonce says how they validate. */
  readonly nonceLayout?: NonceLayout;
}

/** By address, made once by {@link compileKnownImplementations}. */
export type KnownImplementations = ReadonlyMap<Address, Pick<KnownAccountImplementation, 'proxies' | 'nonceLayout'>>;

/** Implementations that deployed account proxies of the known kinds point to, for `requireKnownAccounts`. */
export const KNOWN_ACCOUNT_IMPLEMENTATIONS: readonly KnownAccountImplementation[] = [
  {
    // The factory's first creation (nonce 1), in its constructor: proven by the test, as the two below.
    name: 'SimpleAccount for EntryPoint v0.6',
    kind: 'INFINITISM',
    address: '0x8abb13360b87be5eeb1b98647a016add927a136c',
    proxies: ['simpleAccountV06'],
  },
  {
    name: 'SimpleAccount for EntryPoint v0.7',
    kind: 'INFINITISM',
    address: '0x68641de71cfea5a5d0d29712449ee254bb1400c2',
    proxies: ['simpleAccountV07'],
  },
  {
    name: 'SimpleAccount for EntryPoint v0.8',
    kind: 'INFINITISM',
    address: '0x28426d752372d68d34340bd94390950dce3c9ec3',
    proxies: ['simpleAccountV08'],
  },
  {
    name: 'SimpleAccount for EntryPoint v0.9, release candidate',
    kind: 'INFINITISM',
    address: '0x35c86afff646b02fcf5c8231246e433d7a30e705',
    // The proxy has the same code.
    proxies: ['simpleAccountV08'],
  },
  {
    // permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts (ACCOUNT_V2_0_LOGIC)
    name: 'Biconomy Smart Account V2',
    kind: 'BICONOMY',
    address: '0x0000002512019dafb59528b82cb92d3c5d2423ac',
    proxies: ['biconomyV2'],
  },
  {
    // bcnmy/sdk constants (MAINNET_ADDRESS_NEXUS_IMPLEMENTATION_ADDRESS)
    name: 'Biconomy Nexus 1.0.0',
    kind: 'BICONOMY',
    address: '0x000000039dfcad030719b07296710f045f0558f7',
    proxies: ['soladyErc1967'],
    nonceLayout: 'nexus',
  },
  ...[...KNOWN_SAFE_SINGLETONS].map((address): KnownAccountImplementation => ({
    name: 'Safe',
    kind: 'SAFE',
    address,
    proxies: ['safe141', 'safe150'],
  })),
];

/**
 * The known implementations and those the operator vouches for, ready for look-up. Call once, at start. The
 * operator's are known behind every known proxy: he vouches for what they do, not for code in front of them.
 */
export function compileKnownImplementations(operatorImplementations: readonly Address[] = []): KnownImplementations {
  const proxies = Object.keys(KNOWN_ACCOUNT_PROXIES) as KnownAccountProxyName[];
  return new Map<Address, Pick<KnownAccountImplementation, 'proxies' | 'nonceLayout'>>([
    ...KNOWN_ACCOUNT_IMPLEMENTATIONS.map((known) => [known.address, known] as const),
    ...operatorImplementations.map((address) => [normalizeAddress(address), { proxies }] as const),
  ]);
}
