import { useSyncExternalStore } from 'react';
import { getAddress, numberToHex, stringToHex, type Address, type Hex } from 'viem';
import { browserWallets, type BrowserWallet } from './browser-wallets';

/** The wallets of this browser; the list grows when a wallet announces itself. */
export function useWallets(): readonly BrowserWallet[] {
  return useSyncExternalStore(browserWallets.subscribe, browserWallets.list);
}

/** Asks for an address of the wallet. @throws what the wallet answers when its owner declines */
export async function connect({ provider }: BrowserWallet): Promise<Address> {
  const [address] = await provider.request({ method: 'eth_requestAccounts' });
  if (!address) throw new Error('the wallet shows no address to this page');
  return getAddress(address);
}

/** Signs a text (EIP-191). The wallet shows it to its owner. */
export function signText({ provider }: BrowserWallet, address: Address, text: string): Promise<Hex> {
  return provider.request({ method: 'personal_sign', params: [stringToHex(text), address] });
}

export interface WalletTransaction {
  readonly chainId: number;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

/** Brings the wallet onto the chain and asks it to send. @returns the transaction's hash */
export async function send(
  { provider }: BrowserWallet,
  { chainId, from, to, data, value = 0n }: WalletTransaction,
): Promise<Hex> {
  const wanted = numberToHex(chainId);
  if ((await provider.request({ method: 'eth_chainId' })) !== wanted) {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  }
  const transaction = { from, to, data, value: numberToHex(value) };
  return provider.request({ method: 'eth_sendTransaction', params: [transaction] });
}

const RECEIPT_EVERY_MS = 1_500;

/** Waits until the transaction is in a block. @returns whether it went well */
export async function landed({ provider }: BrowserWallet, hash: Hex, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (receipt) return receipt.status === '0x1';
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_EVERY_MS));
  }
  throw signal.reason;
}
