import type { BrowserWallet } from './browser-wallets';
import { readWithdrawal } from './read-withdrawal';

const asked = { chainId: 31337, contract: `0x${'cc'.repeat(20)}`, fundingWallet: `0x${'ab'.repeat(20)}` } as const;

/** A wallet that answers these, and remembers what it was asked. */
function walletWith(answers: Readonly<Record<string, unknown>>) {
  const requests: unknown[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    requests.push(params);
    return answers[method];
  };
  return { requests, wallet: { id: 'w', name: 'W', provider: { request } } as unknown as BrowserWallet };
}

describe('readWithdrawal', () => {
  it('reads the second word of withdrawalOf', async () => {
    const words = `0x${'7'.padStart(64, '0')}${(1_764_000_000).toString(16).padStart(64, '0')}`;
    const { wallet, requests } = walletWith({ eth_chainId: '0x7a69', eth_call: words });
    expect(await readWithdrawal(wallet, asked)).toBe(1_764_000_000_000);
    const data = expect.stringMatching(new RegExp(`^0x[0-9a-f]{8}0{24}(ab){20}$`)) as string;
    expect(requests.at(-1)).toEqual([{ to: asked.contract, data }, 'latest']);
  });

  it('does not ask on another chain', async () => {
    const { wallet, requests } = walletWith({ eth_chainId: '0x1' });
    expect(await readWithdrawal(wallet, asked)).toBeNull();
    expect(requests).toHaveLength(1);
  });
});
