import { lies } from '@paymaster/chain/testing';
import { ProvidersWorld } from '../testing/providers-world';

const FINALITY_DEPTH = 4;

const world = ProvidersWorld.forThisFile({ finalityDepth: FINALITY_DEPTH });

const checkedSecondsAgo = async () => (await world.books.ledger.cursor(31337))?.checkedSecondsAgo;

describe('a chain that mines no block', () => {
  it('is confirmed to stand still, and the ledger has the time', async () => {
    const { catchUpOnce } = world.following();
    await world.chain.mine(3);
    expect((await catchUpOnce()).isUpToDate).toBe(true);
    expect(await checkedSecondsAgo()).toBeLessThan(60);
  });

  it('does not count as standing still while a single provider knows a newer block', async () => {
    const { catchUpOnce } = world.following();
    for (const proxy of world.proxies.slice(0, 2)) proxy.lie(lies.staleHead(3));
    await world.chain.mine(8);
    const { isUpToDate, cursor, nodeHead } = await catchUpOnce();
    expect(cursor?.head).toMatchObject({ number: nodeHead!.number, hash: nodeHead!.hash });
    expect(nodeHead!.number).toBe(BigInt((await world.chain.rpc('eth_blockNumber')) as string) - 3n);
    expect(isUpToDate).toBe(false);
    expect(await checkedSecondsAgo()).toBeUndefined();
  });

  it('is not confirmed by a settlement that has fallen behind', async () => {
    const { follower } = world.books.follower();
    // More than one step's range.
    await world.chain.mine(60);
    expect(await follower.step()).toMatchObject({ isUpToDate: false, hasMore: true });
    expect(await checkedSecondsAgo()).toBeUndefined();
  });
});
