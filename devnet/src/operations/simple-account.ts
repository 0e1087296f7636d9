import { toSimpleSmartAccount, type ToSimpleSmartAccountReturnType } from 'permissionless/accounts';
import { createPublicClient, http, type Chain } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '../stack/stack-file';

/** A SimpleAccount as wallets know it: it encodes calls, has a nonce and signs operations of its EntryPoint. */
export type SimpleAccount = ToSimpleSmartAccountReturnType<KnownVersion>;

type KnownVersion = Exclude<EntryPointVersion, '0.9'>;

/** The local chain in viem's form. */
export function viemChain(stack: Stack): Chain {
  return {
    id: stack.chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [stack.chainRpc] } },
  };
}

export function chainReader(stack: Stack) {
  return createPublicClient({ chain: viemChain(stack), transport: http(stack.chainRpc), pollingInterval: 200 });
}

/** A SimpleAccount of the owner, deployed by its first operation. Without a key: a fresh account with no coin. */
export function simpleAccount(
  stack: Stack,
  { version, ownerKey = generatePrivateKey() }: { version: EntryPointVersion; ownerKey?: Hex },
): Promise<SimpleAccount> {
  return toSimpleSmartAccount<KnownVersion, PrivateKeyAccount>({
    client: chainReader(stack),
    owner: privateKeyToAccount(ownerKey),
    // The account of v0.9 signs and encodes as that of v0.8, which is the newest that permissionless knows.
    entryPoint: { address: stack.entryPoints[version], version: version === '0.9' ? '0.8' : version },
    factoryAddress: stack.accountFactories[version],
  });
}
