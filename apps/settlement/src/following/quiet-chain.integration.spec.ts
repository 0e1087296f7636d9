import { FakeRpcError, lies } from '@paymaster/chain/testing';
import type { Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { CONFIRM_AFTER_SECONDS, ProvidersWorld } from '../testing/providers-world';

const FINALITY_DEPTH = 4;
/** The calls of one step: the head of each of three providers, and the logs and the proof of two providers. */
const CALLS_OF_A_LOOK = 7;

const world = ProvidersWorld.forThisFile({ finalityDepth: FINALITY_DEPTH });

const calls = () =>
  world.proxies.reduce((sum, proxy) => sum + [...proxy.calls.values()].reduce((all, count) => all + count, 0), 0);

/** A follower that has caught up and asked for the final block a moment ago, on a chain where nothing waits. */
async function following(options: { windowBlocks?: number } = {}) {
  const under = world.following(world.proxies, options);
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

const finalNumber = async () => (await world.books.books.cursor(31337))!.final.number;

/** Undoes blocks; what is mined next differs from them in time. */
async function revert(to: unknown): Promise<void> {
  await world.chain.rpc('evm_revert', to);
  await world.chain.rpc('evm_increaseTime', 3);
}

/** An event of a wallet that changes no deposit. */
async function requestWithdrawal(wallet: Address): Promise<void> {
  const { abi, paymaster } = world.chain.world.of('0.7');
  await world.chain.send(paymaster, abi.encodeFunctionData('requestWithdrawal', [1n]), 0n, wallet);
}

/**
 * A wallet that requested a withdrawal after the block `before`, and a follower that left the block of the request out.
 */
async function withHiddenRequest() {
  const wallet = randomAddress();
  await world.chain.depositTogether('0.7', [wallet]);
  const under = await following();
  const { head } = (await world.books.books.cursor(31337))!;
  for (const proxy of world.proxies) proxy.lie(lies.droppedLogs(() => true));
  await requestWithdrawal(wallet);
  await world.chain.mine(3);
  expect((await look(under)).asked).toBe(CALLS_OF_A_LOOK);
  expect(await kindsOf(wallet)).toEqual(['deposited']);
  return { wallet, under, before: head.number };
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
    // No block above a stretch whose logs were read only once becomes final, because a missed event would come before
    // the operation.
    expect((await world.books.reservation(operation.reservationId)).state).toBe('landed');
    world.passSeconds(CONFIRM_AFTER_SECONDS);
    await under.catchUp();
    expect((await world.books.reservation(operation.reservationId)).state).toBe('settled');
    expect(under.told).toEqual([]);
    expect(await world.books.differences()).toEqual([]);
  });

  it('shows a deposit, also when the indexes of all providers lack its log', async () => {
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

  it.each([0, 600])('shows a withdrawal request of which nodes had no logs, %d seconds later', async (seconds) => {
    const { wallet, under, before } = await withHiddenRequest();
    await world.books.makeFinal();
    await under.catchUp();
    expect(await finalNumber()).toBeLessThanOrEqual(before);
    world.passSeconds(seconds);
    for (const proxy of world.proxies) proxy.beHonest();
    await world.chain.mine(3);
    await under.catchUp();
    expect(under.told).toEqual([`missed above ${before}`]);
    expect(await kindsOf(wallet)).toEqual(['deposited', 'withdrawalRequested']);
    world.passSeconds(CONFIRM_AFTER_SECONDS);
    await world.books.makeFinal();
    await under.catchUp();
    expect(await finalNumber()).toBeGreaterThan(before);
    expect(await world.books.differences()).toEqual([]);
  });

  it.each([
    ['settlement starts again', () => Promise.resolve()],
    ['another process has settled the chain meanwhile', () => between()],
  ])('shows it also where %s before', async (_title, meanwhile) => {
    const { wallet, under } = await withHiddenRequest();
    await under.follower.stop();
    await meanwhile();
    const next = world.following();
    await world.books.makeFinal();
    await next.catchUp();
    expect(await kindsOf(wallet)).toEqual(['deposited']);
    world.passSeconds(600);
    for (const proxy of world.proxies) proxy.beHonest();
    await next.catchUp();
    expect(next.told).toEqual([expect.stringMatching(/^missed above/)]);
    expect(await kindsOf(wallet)).toEqual(['deposited', 'withdrawalRequested']);
    expect(under.told).toEqual([]);
  });

  /** A process that leads for one step. */
  async function between(): Promise<void> {
    const { follower } = world.following();
    await world.chain.mine(3);
    await follower.step();
    await follower.stop();
  }

  it('is read block by block where a stretch was wrong, also when the logs are gone again', async () => {
    const { wallet, under } = await withHiddenRequest();
    for (const proxy of world.proxies) proxy.beHonest();
    await world.chain.mine(3);
    expect((await under.follower.step()).hasMore).toBe(true);
    for (const proxy of world.proxies) proxy.lie(lies.droppedLogs(() => true));
    await under.follower.step();
    expect(await kindsOf(wallet)).toEqual(['deposited', 'withdrawalRequested']);
  });

  it('is followed, and goes on to be final, where logs can no longer be asked for over several blocks', async () => {
    const { wallet, under, before } = await withHiddenRequest();
    for (const proxy of world.proxies)
      proxy.lie({
        eth_getLogs: ({ params, truth }) => {
          if ((params[0] as { toBlock?: unknown }).toBlock === undefined) return truth();
          throw new FakeRpcError(-32000, 'block range is too large');
        },
      });
    await world.books.makeFinal();
    await under.catchUp();
    expect(await finalNumber()).toBeLessThanOrEqual(before);
    world.passSeconds(60);
    await under.catchUp();
    expect(await kindsOf(wallet)).toEqual(['deposited', 'withdrawalRequested']);
    expect(await finalNumber()).toBeGreaterThan(before);
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
      await revert(to);
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

  it('is undone within the window where the newest block of the books on the chain lies below it', async () => {
    const under = await following({ windowBlocks: 8 });
    const { head } = (await world.books.books.cursor(31337))!;
    await world.chain.mine(4);
    await look(under);
    await world.chain.mine(1);
    const to = await world.chain.rpc('evm_snapshot');
    await world.chain.mine(3);
    await look(under);
    await world.chain.mine(4);
    await look(under);
    await world.chain.mine(1);
    await under.catchUp();
    await revert(to);
    const wallet = randomAddress();
    await world.chain.depositTogether('0.7', [wallet]);
    await world.chain.mine(9);
    await under.catchUp();
    expect(under.told).toEqual(['reorganized: 9']);
    expect(await kindsOf(wallet)).toEqual(['deposited']);
    expect(await world.books.books.blockAt(31337, head.number + 4n)).toBeDefined();
  });

  it('is halted where the books and the chain part deeper than the window and the stretch below it', async () => {
    const under = await following({ windowBlocks: 8 });
    await world.chain.mine(3);
    const to = await world.chain.rpc('evm_snapshot');
    for (const blocks of [1, 4, 4, 1]) {
      await world.chain.mine(blocks);
      await look(under);
    }
    await revert(to);
    await world.chain.mine(12);
    const { state, cursor } = await under.follower.step();
    expect(state).toBe('halted');
    expect(cursor?.haltedReason).toMatch(/^the chain does not meet the books at or above 8 blocks below the head \d+$/);
  });
});
