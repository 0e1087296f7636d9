import type { Hex } from '@paymaster/domain';

/** Where a proxy keeps the address of its implementation; `ownAddress` is the slot that is the proxy's address. */
export type ImplementationSlot = 'erc1967' | 'first' | 'ownAddress';

export interface KnownAccountProxy {
  /** Keccak-256 of the deployed code, as EXTCODEHASH gives it. */
  readonly codeHash: Hex;
  readonly implementationSlot: ImplementationSlot;
}

/**
 * Code of account proxies that does one thing: delegate everything to the address in one slot. Only with such code
 * does that slot say what the account does; a contract of any other code may store any address anywhere.
 *
 * Immutables would change the hash: none of these has any. Biconomy Smart Account V1 is left out, because its proxy's
 * code is in no published package: such accounts count as unknown.
 */
export const KNOWN_ACCOUNT_PROXIES = {
  // OpenZeppelin's ERC1967Proxy, as compiled into SimpleAccountFactory of @account-abstraction/contracts 0.6.0,
  // 0.7.0 and 0.8.0: proven by the test, as all of these.
  simpleAccountV06: {
    codeHash: '0x0acbd632c56f6f227951f6c832b36177319145deddb8df3a12c3bcc91fbf49b3',
    implementationSlot: 'erc1967',
  },
  simpleAccountV07: {
    codeHash: '0x0cf33e42b59cd30ce43a3d95a9c4de2589047c5e0968708337764f9776097210',
    implementationSlot: 'erc1967',
  },
  simpleAccountV08: {
    codeHash: '0x41ee894da413cc99e8dec0a1784470eceb736845ad1591e06ff0ecdf0aca26c9',
    implementationSlot: 'erc1967',
  },
  // Solady LibClone, ERC1967_CODE_HASH; bcnmy/nexus K1ValidatorFactory calls createDeterministicERC1967.
  soladyErc1967: {
    codeHash: '0xaaa52c8cc8a0e3fd27ce756cc6b4e70c51423e9b597b11f32d3e49f8b1fc890d',
    implementationSlot: 'erc1967',
  },
  // Behind the creation code in permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts
  biconomyV2: {
    codeHash: '0xeb943ca16c0a3d8c19be2c02105552f49d4ff1d02fb80b199b613f085c8c7847',
    implementationSlot: 'ownAddress',
  },
  // SafeProxy.json of @safe-global/safe-contracts 1.4.1
  safe141: {
    codeHash: '0xd7d408ebcd99b2b70be43e20253d6d92a8ea8fab29bd3be7f55b10032331fb4c',
    implementationSlot: 'first',
  },
  // SafeProxy.json of @safe-global/safe-smart-account 1.5.0
  safe150: {
    codeHash: '0x4e381985ca68b3e5d27b4425fa581c19cf33146d3f887a3cfca96f55528ea46f',
    implementationSlot: 'first',
  },
} as const satisfies Readonly<Record<string, KnownAccountProxy>>;

export type KnownAccountProxyName = keyof typeof KNOWN_ACCOUNT_PROXIES;
