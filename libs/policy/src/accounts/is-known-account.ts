import type { Address, Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import type { KnownImplementations } from './known-account-implementations';
import type { NonceLayout } from './known-validators';
import { KNOWN_ACCOUNT_PROXIES, type ImplementationSlot, type KnownAccountProxyName } from './known-account-proxies';

/** What is known of the code behind a deployed account. */
export interface AccountImplementation {
  /** Whether it reads call data the way this library does. */
  readonly known: boolean;
  /** Of accounts whose nonce says how they validate. */
  readonly nonceLayout?: NonceLayout | undefined;
}

/** bytes32(uint256(keccak256('eip1967.proxy.implementation')) - 1) */
const ERC1967_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const FIRST_SLOT: Hex = `0x${'00'.repeat(32)}`;

const NAMES = Object.keys(KNOWN_ACCOUNT_PROXIES) as KnownAccountProxyName[];
const PROXIES_BY_CODE_HASH: ReadonlyMap<string, KnownAccountProxyName> = new Map(
  NAMES.map((name) => [KNOWN_ACCOUNT_PROXIES[name].codeHash, name]),
);

const SLOT_OF: Readonly<Record<ImplementationSlot, (account: Address) => Hex>> = {
  erc1967: () => ERC1967_SLOT,
  first: () => FIRST_SLOT,
  ownAddress: (account) => `0x${account.slice(2).toLowerCase().padStart(64, '0')}`,
};

/**
 * The storage slot that says what an account does, or undefined where its code is not that of a known proxy: then
 * nothing it stores means anything. That goes for EIP-7702 delegations (`0xef0100…`) too.
 */
export function implementationSlotOf({ account, code }: { account: Address; code: Hex }): Hex | undefined {
  const proxy = proxyOf(code);
  return proxy && SLOT_OF[KNOWN_ACCOUNT_PROXIES[proxy].implementationSlot](account);
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
  const found = implementation && known.get(implementation);
  if (!proxy || !found?.proxies.includes(proxy)) return { known: false };
  return { known: true, nonceLayout: found.nonceLayout };
}

function proxyOf(code: Hex): KnownAccountProxyName | undefined {
  return PROXIES_BY_CODE_HASH.get(keccak256(code));
}
