import { numberToHex, parseEther } from 'viem';
import type { DevChain } from './dev-chain';
import type { DevKey } from './dev-keys';

const ENOUGH_WEI = parseEther('100');
const PLENTY_WEI = parseEther('10000');

/**
 * Sees to it that the development keys can pay: a chain of ours funds them from the start, one that was given with
 * CHAIN_RPC_URL is asked for `anvil_setBalance`.
 *
 * @throws one sentence that says which addresses need coin
 */
export async function ensureCoin(chain: DevChain, keys: ReadonlyArray<Pick<DevKey, 'address'>>): Promise<void> {
  const poor: string[] = [];
  for (const { address } of keys) {
    if ((await chain.reader.getBalance({ address })) >= ENOUGH_WEI) continue;
    try {
      await chain.reader.request<{ Method: string; Parameters: [string, string]; ReturnType: unknown }>({
        method: 'anvil_setBalance',
        params: [address, numberToHex(PLENTY_WEI)],
      });
    } catch {
      poor.push(address);
    }
  }
  if (poor.length > 0) throw new Error(`Chain ${chain.chainId} must give 100 coins to each of: ${poor.join(', ')}`);
}
