import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CANONICAL_ACCOUNT_FACTORIES, CANONICAL_DELEGATE, simpleAccount, type Stack } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type EntryPointVersion, type Hex } from '@paymaster/domain';
import {
  toBiconomySmartAccount,
  toEtherspotSmartAccount,
  toKernelSmartAccount,
  toLightSmartAccount,
  toNexusSmartAccount,
  toSafeSmartAccount,
  toThirdwebSmartAccount,
  toTrustSmartAccount,
} from 'permissionless/accounts';
import { createPublicClient, defineChain, http, pad, type PublicClient } from 'viem';
import {
  toCoinbaseSmartAccount,
  toSimple7702SmartAccount,
  toSoladySmartAccount,
  type SmartAccount,
} from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

/** Accounts whose code is in a published package, as their client libraries make them. */
export interface Family {
  readonly name: string;
  readonly version: EntryPointVersion;
  /** What the account delegates to; it is never deployed then. */
  readonly delegate?: Hex;
  make(chain: LocalChain): Promise<SmartAccount>;
}

/** The chain of the measurement. */
export interface LocalChain {
  readonly url: string;
  readonly chainId: number;
  readonly client: PublicClient;
}

export function localChain(url: string, chainId: number): LocalChain {
  const chain = defineChain({
    ...{ id: chainId, name: 'local', rpcUrls: { default: { http: [url] } } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  });
  return { url, chainId, client: createPublicClient({ chain, transport: http(url), pollingInterval: 50 }) };
}

const newOwner = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

const simple = (version: EntryPointVersion): Family => ({
  name: 'SimpleAccount',
  version,
  make: ({ url, chainId }) => {
    const world = { chainId, chainRpc: url, entryPoints: CANONICAL_ENTRY_POINTS };
    const stack = { ...world, accountFactories: CANONICAL_ACCOUNT_FACTORIES } as Stack;
    return simpleAccount(stack, { version }) as Promise<unknown> as Promise<SmartAccount>;
  },
});

const safe = (owners: number): Family => ({
  name: `Safe 1.4.1, ${owners === 1 ? 'one owner' : `${owners} owners`}`,
  version: '0.7',
  make: ({ client }) =>
    toSafeSmartAccount({
      ...{ client, version: '1.4.1', owners: Array.from({ length: owners }, newOwner) as never },
      entryPoint: { address: CANONICAL_ENTRY_POINTS['0.7'], version: '0.7' },
    }) as Promise<unknown> as Promise<SmartAccount>,
});

const solady: Family = {
  name: 'Solady ERC4337',
  version: '0.7',
  make: ({ client }) => {
    const owner = newOwner();
    const salt = pad(owner.address, { dir: 'right', size: 32 });
    return toSoladySmartAccount({ client, owner, salt }) as Promise<unknown> as Promise<SmartAccount>;
  },
};

const metaMask: Family = {
  name: "MetaMask's hybrid DeleGator",
  version: '0.7',
  make: ({ client }) => {
    const packaged = createRequire(join(process.cwd(), 'apps/paymaster-rpc-e2e/clients/package.json'));
    const kit = packaged('@metamask/smart-accounts-kit') as {
      getSmartAccountsEnvironment(chainId: number): unknown;
      toMetaMaskSmartAccount(options: object): Promise<SmartAccount>;
    };
    const owner = newOwner();
    return kit.toMetaMaskSmartAccount({
      // The kit knows public chains only; its contracts have the same addresses on all of them.
      ...{ client, environment: kit.getSmartAccountsEnvironment(11155111), implementation: 'Hybrid' },
      ...{ signer: { account: owner }, deployParams: [owner.address, [], [], []], deploySalt: '0x' },
    });
  },
};

const delegated: Family = {
  name: 'Simple7702Account, by EIP-7702',
  version: '0.8',
  delegate: CANONICAL_DELEGATE,
  make: ({ client }) =>
    toSimple7702SmartAccount({ client, owner: newOwner() }) as Promise<unknown> as Promise<SmartAccount>,
};

export const FAMILIES: readonly Family[] = [
  ...[simple('0.6'), simple('0.7'), simple('0.8'), simple('0.9')],
  ...[safe(1), safe(3), solady, metaMask, delegated],
];

/** permissionless 0.1 estimates a Safe with `ff` bytes, of which the Safe recovers nobody. */
const safeWithOldDummy: Family = {
  ...safe(1),
  name: 'Safe 1.4.1, estimated with ff bytes',
  make: async (chain) => {
    const account = await safe(1).make(chain);
    return { ...account, getStubSignature: async () => `0x${'00'.repeat(12)}${'ff'.repeat(65)}` };
  },
};

interface Made {
  readonly client: PublicClient;
  readonly owner: PrivateKeyAccount;
  readonly owners: readonly [PrivateKeyAccount];
  readonly entryPoint: { readonly address: Hex; readonly version: '0.6' | '0.7' };
}

/** Accounts whose code is in no npm package: stand-ins at the addresses of their factories. */
const standIn = (name: string, version: '0.6' | '0.7', make: (options: Made) => Promise<unknown>): Family => ({
  name,
  version,
  make: ({ client }) => {
    const owner = newOwner();
    const entryPoint = { address: CANONICAL_ENTRY_POINTS[version], version };
    return make({ client, owner, owners: [owner], entryPoint }) as Promise<SmartAccount>;
  },
});

/** Every family whose operations have to land as they were granted. */
export const GRANTED_FAMILIES: readonly Family[] = [
  ...FAMILIES,
  safeWithOldDummy,
  standIn('Kernel 2.4', '0.6', (made) => toKernelSmartAccount({ ...made, version: '0.2.4' } as never)),
  standIn('Kernel 3.1', '0.7', (made) => toKernelSmartAccount({ ...made, version: '0.3.1' } as never)),
  standIn('Nexus', '0.7', (made) => toNexusSmartAccount({ ...made, version: '1.0.0' } as never)),
  standIn('Biconomy V2', '0.6', (made) => toBiconomySmartAccount(made as never)),
  standIn('LightAccount 2.0.0', '0.7', (made) => toLightSmartAccount({ ...made, version: '2.0.0' } as never)),
  standIn('Coinbase Smart Wallet 1.1', '0.6', (made) => toCoinbaseSmartAccount({ ...made, version: '1.1' } as never)),
  standIn('thirdweb', '0.7', (made) => toThirdwebSmartAccount(made as never)),
  standIn('Etherspot', '0.7', (made) => toEtherspotSmartAccount(made as never)),
  standIn('Trust (Barz)', '0.6', (made) => toTrustSmartAccount(made as never)),
];
