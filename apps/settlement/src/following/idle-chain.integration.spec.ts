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

  it('costs a look at its head, and nothing of the database, until a provider names another head', async () => {
    const { follower, catchUpOnce } = world.following(world.proxies, { stillMs: 600_000 });
    await world.chain.mine(3);
    const { cursor } = await catchUpOnce();
    const acquireLease = jest.spyOn(world.books.books, 'acquireLease');
    const readCursor = jest.spyOn(world.books.books, 'cursor');
    const callsBefore = world.proxies.map(({ calls }) => new Map(calls));
    expect(await follower.step()).toMatchObject({ state: 'leader', cursor, isUpToDate: true, hasMore: false });
    expect([acquireLease, readCursor].map(({ mock }) => mock.calls)).toEqual([[], []]);
    for (const [index, { calls }] of world.proxies.entries()) {
      const more = [...calls].flatMap(([method, count]) => {
        const once = count - (callsBefore[index]!.get(method) ?? 0);
        return once > 0 ? [[method, once]] : [];
      });
      expect(more).toEqual([['eth_getBlockByNumber', 1]]);
    }

    await world.chain.mine(1);
    expect((await follower.step()).cursor?.head.number).toBe(cursor!.head.number + 1n);
    expect(acquireLease).toHaveBeenCalled();
  });

  it('is settled anew when the head is another block of the same number', async () => {
    const { follower, catchUpOnce } = world.following(world.proxies, { stillMs: 600_000 });
    await world.chain.mine(2);
    const before = await world.chain.rpc('evm_snapshot');
    await world.chain.mine(1);
    const { cursor } = await catchUpOnce();
    await world.chain.rpc('evm_revert', before);
    await world.chain.rpc('evm_increaseTime', 3);
    await world.chain.mine(1);
    const { head } = (await follower.step()).cursor!;
    expect(head.number).toBe(cursor!.head.number);
    expect(head.hash).not.toBe(cursor!.head.hash);
  });

  it('is not confirmed by a settlement that has fallen behind', async () => {
    const { follower } = world.books.follower();
    // More than one step's range.
    await world.chain.mine(60);
    expect(await follower.step()).toMatchObject({ isUpToDate: false, hasMore: true });
    expect(await checkedSecondsAgo()).toBeUndefined();
  });
});
