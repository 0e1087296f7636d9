import { createPublicClient, createWalletClient, defineChain, http, numberToHex, parseEther } from 'viem';
import type { Chain, PublicClient, Transport } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { Hex } from '@paymaster/domain';
import { keepBaseFee, type Stack } from '@paymaster/devnet';
import { call, resultOf } from './json-rpc';

export function chainOf(stack: Stack): Chain {
  return defineChain({
    id: stack.chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [stack.chainRpc] } },
  });
}

export function publicClient(stack: Stack): PublicClient<Transport, Chain> {
  return createPublicClient({ chain: chainOf(stack), transport: http(stack.chainRpc), pollingInterval: 200 });
}

/** Sends transactions that land although blocks in between raise the base fee. */
export function walletOf(stack: Stack, account: PrivateKeyAccount) {
  const chain = { ...chainOf(stack), fees: { baseFeeMultiplier: 10 } };
  return createWalletClient({ account, chain, transport: http(stack.chainRpc) });
}

/** A new externally owned account with ether in it, so that specs never share a nonce. */
export async function richWallet(stack: Stack): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  const params = [account.address, numberToHex(parseEther('10000'))];
  resultOf(await call({ url: stack.chainRpc, method: 'anvil_setBalance', params }));
  return account;
}

export interface Transaction {
  readonly from: PrivateKeyAccount;
  readonly to: Hex;
  readonly data: Hex;
  readonly valueWei?: bigint;
  /** Given, several transactions of one account can be under way at once. */
  readonly nonce?: number;
}

/** Sends a transaction and waits until it is mined. @throws when it reverts */
export async function transact(stack: Stack, { from, to, data, valueWei, nonce }: Transaction): Promise<void> {
  const hash = await walletOf(stack, from).sendTransaction({ to, data, value: valueWei, nonce });
  const receipt = await publicClient(stack).waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`transaction ${hash} to ${to} reverted`);
}

/**
 * Has the base fee of the local chain stand there from now on, about: its neighbours keep it. It rises by
 * doublings, because a transaction that waits for the next block offers no more than that.
 */
export async function setBaseFee(stack: Stack, baseFeeWei: bigint): Promise<void> {
  const client = publicClient(stack);
  for (let seen = -1n; ;) {
    const { number, baseFeePerGas } = await client.getBlock();
    const now = baseFeePerGas ?? 0n;
    if (now === baseFeeWei) return;
    if (number === seen) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      continue;
    }
    seen = number;
    const next = 2n * now < baseFeeWei ? 2n * now : baseFeeWei;
    await keepBaseFee(stack.chainRpc, next);
  }
}
