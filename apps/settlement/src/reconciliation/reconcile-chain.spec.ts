import type { Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { reconcileChain } from './reconcile-chain';

const [paymaster, entryPoint] = [randomAddress(), randomAddress()];
const chain = { chainId: 1, entryPoints: { '0.7': { entryPoint, paymaster } } };
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** Books of wallets with one wei each, and a chain on which all of them have what `onChainWei` says. */
function world(walletCount: number, { onChainWei = 1n, depositWei = 10n ** 6n } = {}) {
  let reads = 0;
  const block = { number: 7n, hash: word(7n), timeSeconds: 7 };
  const balances = Array.from({ length: walletCount }, (_, index) => ({
    ...{ contract: paymaster, wallet: `0x${index.toString(16).padStart(40, '0')}` as const, balanceWei: 1n },
  }));
  const books = {
    cursor: async () => ({ head: block, final: block, haltedReason: null }),
    finalBalances: async () => balances,
    recordReconciliation: async () => undefined,
  };
  const callAt = async (_hash: Hex, { to, data }: { to: string; data: Hex }) => {
    reads++;
    if (to === entryPoint) return word(depositWei);
    return word(data.startsWith('0x70a08231') ? onChainWei : 0n);
  };
  return { request: { books, chain, source: { callAt } }, reads: () => reads };
}

describe('reconcileChain', () => {
  it('reads all wallets where nobody counts turns', async () => {
    const { request, reads } = world(5_000);
    expect(await reconcileChain(request)).toMatchObject({ wallets: 5_000, findings: [] });
    expect(reads()).toBe(15_002);
  });

  it('reads no more than 2,000 wallets of a contract in one turn, however many there are', async () => {
    const { request, reads } = world(5_000);
    expect(await reconcileChain({ ...request, turn: 1 })).toMatchObject({ wallets: 2_000, findings: [] });
    expect(reads()).toBe(6_002);
  });

  it('counts what the books say of the others when it looks at the deposit', async () => {
    const { request } = world(5_000, { depositWei: 4_999n });
    const { findings } = await reconcileChain({ ...request, turn: 1 });
    expect(findings).toEqual([
      expect.objectContaining({ what: expect.stringMatching(/^deposit of/), found: '4999 wei' }),
    ]);
  });

  it('finds what differs among those of the turn', async () => {
    const { request } = world(5_000, { onChainWei: 2n });
    expect((await reconcileChain({ ...request, turn: 0 })).findings).toHaveLength(2_000);
  });

  it('compares balances and chain at one block, however the final block moves while they are read', async () => {
    const { request } = world(1);
    const finals = [7n, 8n, 8n, 9n, 9n, 9n].map((number) => ({ number, hash: word(number), timeSeconds: 7 }));
    const cursor = async () => {
      const final = finals.shift()!;
      return { head: final, final, haltedReason: null };
    };
    const { block } = await reconcileChain({ ...request, books: { ...request.books, cursor } });
    expect(block.number).toBe(9n);
  });
});
