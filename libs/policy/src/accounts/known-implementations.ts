import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import {
  shapesOf,
  type AccountFamily,
  type AccountProxy,
  type OperationHandlers,
  type ProxiedImplementation,
} from './account-family';
import * as families from './families';

/** What is known of the code behind a deployed account. */
export interface AccountImplementation {
  /** Whether it reads call data the way this library does. */
  readonly known: boolean;
  /** The shapes of `decodeCalls` that it has; left out where the operator vouches for it. */
  readonly shapes?: ReadonlySet<string> | undefined;
  /** Of accounts whose nonce says how they validate: the layout's name. */
  readonly nonceLayout?: string | undefined;
  /** The account is known only if it also stores one of these contracts, and lets it make calls. */
  readonly handlers?: OperationHandlers | undefined;
}

export interface KnownAccountImplementation
  extends ProxiedImplementation, Omit<AccountImplementation, 'known' | 'handlers'> {}

/** By address, made once by {@link compileKnownImplementations}. */
export type KnownImplementations = ReadonlyMap<Address, Omit<KnownAccountImplementation, 'name' | 'address'>>;

/** bytes32(uint256(keccak256('eip1967.proxy.implementation')) - 1) */
const ERC1967_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const FIRST_SLOT: Hex = `0x${'00'.repeat(32)}`;

/** Implementations that deployed account proxies of the known families point to, for `requireKnownAccounts`. */
export const KNOWN_ACCOUNT_IMPLEMENTATIONS: readonly KnownAccountImplementation[] = Object.values(families).flatMap(
  (family: AccountFamily) => {
    const derived = { nonceLayout: family.nonceLayout?.name, shapes: shapesOf(family) };
    return (family.implementations ?? []).map((implementation) => ({ ...implementation, ...derived }));
  },
);

const PROXIES: readonly AccountProxy[] = KNOWN_ACCOUNT_IMPLEMENTATIONS.flatMap(({ proxies }) => proxies);
/** By how many bytes are an account's own behind the code: the proxies by the hash of that code. */
const PROXIES_BY_OWN_BYTES: ReadonlyMap<number, ReadonlyMap<string, AccountProxy>> = new Map(
  PROXIES.map(({ ownBytes = 0 }) => [
    ownBytes,
    new Map(PROXIES.filter((proxy) => (proxy.ownBytes ?? 0) === ownBytes).map((proxy) => [proxy.codeHash, proxy])),
  ]),
);
/** By the hash of an account's code that has the implementation's address. */
const IMPLEMENTATION_IN_CODE: ReadonlyMap<string, Address> = new Map(
  KNOWN_ACCOUNT_IMPLEMENTATIONS.flatMap(({ address, proxies }) =>
    proxies.filter((proxy) => proxy.implementationSlot === 'none').map((proxy) => [proxy.codeHash, address]),
  ),
);

/**
 * The known implementations and those the operator vouches for, ready for look-up. Call once, at start. The
 * operator's are known behind every known proxy: he vouches for what they do, not for code in front of them.
 */
export function compileKnownImplementations(operatorImplementations: readonly Address[] = []): KnownImplementations {
  const proxies = PROXIES;
  return new Map<Address, Omit<KnownAccountImplementation, 'name' | 'address'>>([
    ...operatorImplementations.map((address) => [normalizeAddress(address), { proxies }] as const),
    // Last: an operator's entry must not switch off the checks of functions and nonces.
    ...KNOWN_ACCOUNT_IMPLEMENTATIONS.map((known) => [known.address, known] as const),
  ]);
}

const SLOT_OF: Readonly<Record<AccountProxy['implementationSlot'], (account: Address) => Hex | undefined>> = {
  none: () => undefined,
  erc1967: () => ERC1967_SLOT,
  first: () => FIRST_SLOT,
  ownAddress: (account) => `0x${account.slice(2).toLowerCase().padStart(64, '0')}`,
};

/**
 * The storage slot that says what an account does, or undefined where its code is not that of a known proxy: then
 * nothing it stores means anything. That goes for EIP-7702 delegations (`0xef0100…`) too, and for proxies whose code says
 * it.
 */
export function implementationSlotOf({ account, code }: { account: Address; code: Hex }): Hex | undefined {
  const proxy = proxyOf(code);
  return proxy && SLOT_OF[proxy.implementationSlot](account);
}

function proxyOf(code: Hex): AccountProxy | undefined {
  for (const [ownBytes, proxies] of PROXIES_BY_OWN_BYTES) {
    const shared = code.slice(0, Math.max(2, code.length - 2 * ownBytes));
    const proxy = proxies.get(keccak256(shared));
    if (proxy) return proxy;
  }
  return undefined;
}

/**
 * A deployed account is known when its code is that of a known proxy, and the implementation behind it is one that
 * belongs to this proxy.
 *
 * @param implementation content of {@link implementationSlotOf}, undefined where it is no address
 * @param known of `compileKnownImplementations`
 */
export function accountImplementationOf({
  code,
  implementation,
  known,
}: {
  code: Hex;
  implementation: Address | undefined;
  known: KnownImplementations;
}): AccountImplementation {
  const proxy = proxyOf(code);
  const address = IMPLEMENTATION_IN_CODE.get(proxy?.codeHash ?? '') ?? implementation;
  const found = address && known.get(address);
  if (!proxy || !found?.proxies.includes(proxy)) return { known: false };
  const { nonceLayout, shapes, handlers } = found;
  return { known: true, nonceLayout, shapes, ...(handlers && { handlers }) };
}
