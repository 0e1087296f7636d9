import { readStack, rpc } from '@paymaster/devnet';
import type { BrowserContext } from 'playwright-core';
import { createWalletClient, http, numberToHex, parseEther, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

interface Request {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Puts a wallet into the browser (EIP-6963) that holds a fresh key with coin, and agrees to everything. */
export async function installWallet(context: BrowserContext): Promise<{ readonly address: Address }> {
  const { chainRpc, chainId } = readStack();
  const account = privateKeyToAccount(generatePrivateKey());
  await rpc(chainRpc, 'anvil_setBalance', [account.address, numberToHex(parseEther('10'))]);
  const client = createWalletClient({ account, transport: http(chainRpc) });
  await context.exposeFunction('testWalletRequest', async ({ method, params = [] }: Request): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address];
      case 'eth_chainId':
        return numberToHex(chainId);
      case 'personal_sign':
        return account.signMessage({ message: { raw: params[0] as Hex } });
      case 'eth_sendTransaction': {
        const { to, data, value } = params[0] as { to: Address; data: Hex; value: Hex };
        return client.sendTransaction({ chain: null, to, data, value: BigInt(value) });
      }
      default:
        return rpc(chainRpc, method, [...params]);
    }
  });
  await context.addInitScript(() => {
    const page = globalThis as unknown as EventTarget;
    const provider = {
      request: (request: unknown) =>
        (globalThis as unknown as { testWalletRequest: (request: unknown) => unknown }).testWalletRequest(request),
    };
    const info = { uuid: 'test-wallet', name: 'Test wallet', icon: '', rdns: 'org.example.test' };
    const announce = () =>
      page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
    page.addEventListener('eip6963:requestProvider', announce);
    announce();
  });
  return { address: account.address };
}
