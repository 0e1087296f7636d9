import { lies } from '@paymaster/chain/testing';
import type { Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { ProvidersWorld } from '../testing/providers-world';

const FINALITY_DEPTH = 4;
/** Of one look: the head of each of three providers, and the logs and the witness of two. */
const CALLS_OF_A_LOOK = 7;

const world = ProvidersWorld.forThisFile({ finalityDepth: FINALITY_DEPTH });

const calls = () =>
  world.proxies.reduce((sum, proxy) => sum + [...proxy.calls.values()].reduce((all, count) => all + count, 0), 0);

/** A follower that has caught up and asked for the final block a moment ago, on a chain where nothing waits. */
async function following() {
  const under = world.following();
  await world.books.makeFinal();
  await under.catchUp();
  // The first proof also asks what its first block says of the deposits.
  await world.chain.mine(2);
  await under.catchUp();
  return under;
}

/** Events of a wallet in the books, in order. */
async function kindsOf(wallet: Address): Promise<string[]> {
  const { rows } = await world.books.database.pool.query<{ kind: string }>(
    `SELECT kind FROM ledger.chain_events AS e JOIN ledger.wallets AS w ON w.id = e.wallet_id
     WHERE w.wallet = $1 ORDER BY e.block_number, e.log_index`,
    [wallet],
  );
  return rows.map(({ kind }) => kind);
}

async function look(under: ReturnType<ProvidersWorld['following']>) {
  const before = calls();
  const step = await under.follower.step();
  return { step, asked: calls() - before };
}

describe('a chain on which nothing of ours happens', () => {
  it('costs the same few calls, however many blocks there are', async () => {
    const under = await following();
    for (const blocks of [2, 10, 32]) {
      await world.chain.mine(blocks);
      const { step, asked } = await look(under);
      expect(step).toMatchObject({ isQuiet: true, hasMore: false, isUpToDate: true });
      expect(asked).toBe(CALLS_OF_A_LOOK);
      expect(step.cursor?.head.hash).toBe(step.nodeHead?.hash);
    }
    expect(await world.books.differences()).toEqual([]);
  });

  it('is read block by block again from the block on in which an operation lands', async () => {
    const under = await following();
    await world.chain.mine(5);
    await look(under);
    const operation = await world.books.granted();
    await world.books.land(operation);
    await world.chain.mine(2);
    expect((await look(under)).step.isQuiet).toBe(false);
    expect((await world.books.reservation(operation.reservationId)).state).toBe('landed');
    await world.books.makeFinal();
    await under.catchUp();
    expect((await world.books.reservation(operation.reservationId)).state).toBe('settled');
    expect(under.told).toEqual([]);
    expect(await world.books.differences()).toEqual([]);
  });

  it('shows a deposit, and one that the indexes of all providers lack', async () => {
    const under = await following();
    for (const lie of [{}, lies.droppedLogs(() => true)]) {
      for (const proxy of world.proxies) proxy.lie(lie);
      const wallet = randomAddress();
      await world.chain.mine(3);
      await world.chain.depositTogether('0.7', [wallet]);
      await world.chain.mine(3);
      const { asked } = await look(under);
      expect(asked).toBeGreaterThan(CALLS_OF_A_LOOK);
      expect(await kindsOf(wallet)).toEqual(['deposited']);
      for (const proxy of world.proxies) proxy.beHonest();
      await world.books.makeFinal();
      await under.catchUp();
    }
    expect(under.told).toEqual([]);
    expect(await world.books.differences()).toEqual([]);
  });

  it('shows a withdrawal request late where nodes had no logs of its block yet', async () => {
    const wallet = randomAddress();
    await world.chain.depositTogether('0.7', [wallet]);
    const under = await following();
    for (const proxy of world.proxies) proxy.lie(lies.droppedLogs(() => true));
    const { abi, paymaster } = world.chain.world.of('0.7');
    await world.chain.send(paymaster, abi.encodeFunctionData('requestWithdrawal', [1n]), 0n, wallet);
    await world.chain.mine(3);
    await look(under);
    expect(await kindsOf(wallet)).toEqual(['deposited']);
    for (const proxy of world.proxies) proxy.beHonest();
    await world.chain.mine(3);
    await under.catchUp();
    expect(under.told).toEqual([expect.stringMatching(/^missed above \d+$/)]);
    expect(await kindsOf(wallet)).toEqual(['deposited', 'withdrawalRequested']);
    await world.books.makeFinal();
    await under.catchUp();
    expect(await world.books.differences()).toEqual([]);
  });

  it.each([1, 6])(
    'that is undone within a stretch is unwound to where the books meet the chain again: %d',
    async (kept) => {
      const under = await following();
      await world.chain.mine(kept);
      await look(under);
      const to = await world.chain.rpc('evm_snapshot');
      await world.chain.mine(3);
      await look(under);
      await world.chain.rpc('evm_revert', to);
      await world.chain.rpc('evm_increaseTime', 3);
      const wallet = randomAddress();
      await world.chain.depositTogether('0.7', [wallet]);
      await world.chain.mine(4);
      await under.catchUp();
      expect(under.told).toEqual(['reorganized: 3']);
      expect(await kindsOf(wallet)).toEqual(['deposited']);
      await world.books.makeFinal();
      await under.catchUp();
      expect(await world.books.differences()).toEqual([]);
    },
  );

  it('is not undone where the head of the providers falls back into a stretch', async () => {
    const under = await following();
    await world.chain.mine(6);
    await look(under);
    for (const proxy of world.proxies) proxy.lie(lies.staleHead(3));
    const { step } = await look(under);
    expect(step.cursor?.head.number).toBe(step.nodeHead!.number + 3n);
    expect(under.told).toEqual([]);
  });
});
