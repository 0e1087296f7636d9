import { pad, slice, toFunctionSelector, type Address, numberToHex } from 'viem';
import type { BrowserWallet } from './browser-wallets';

/** Of the paymaster contract: the amount, and when it can be taken; seconds. */
const WITHDRAWAL_OF = toFunctionSelector('withdrawalOf(address)');
const WORD_BYTES = 32;

interface Asked {
  readonly chainId: number;
  readonly contract: Address;
  readonly fundingWallet: Address;
}

/**
 * When the withdrawal that a wallet asked for can be taken, read on chain through a wallet of the browser.
 *
 * @returns milliseconds; null where the wallet is on another chain
 * @throws what the wallet answers
 */
export async function readWithdrawal(
  { provider }: BrowserWallet,
  { chainId, contract, fundingWallet }: Asked,
): Promise<number | null> {
  if ((await provider.request({ method: 'eth_chainId' })) !== numberToHex(chainId)) return null;
  const data = `${WITHDRAWAL_OF}${pad(fundingWallet).slice(2)}` as const;
  const words = await provider.request({ method: 'eth_call', params: [{ to: contract, data }, 'latest'] });
  return Number(BigInt(slice(words, WORD_BYTES, 2 * WORD_BYTES))) * 1_000;
}
