import { DependencyUnavailableError } from '@paymaster/domain';
import { fakeClock, FakeRpcServer, UNHURRIED, wireBlock } from '../testing';
import { ChainHead } from './chain-head';
import type { Block } from './block';
import { ChainProvider } from './chain-provider';

const T0 = 1_800_000_000;
const chain = { chainId: 1, blockTimeSeconds: 12, maxHeadAgeSeconds: 120 };

/** A chain whose blocks the test sets, seen by a pod whose wall clock is `skewSeconds` off. */
function world(options: { skewSeconds?: number } = {}) {
  const time = fakeClock();
  const asked: string[] = [];
  const state = { latest: block(100, T0), pending: block(101, T0 + 12) };
  const provider = {
    block: async (tag: 'latest' | 'pending', assertPlausible?: (block: Block) => void) => {
      asked.push(tag);
      assertPlausible?.(state[tag]);
      return state[tag];
    },
  };
  const head = new ChainHead(chain, provider, {
    clock: time.clock,
    wallClockSeconds: () => T0 + (options.skewSeconds ?? 0) + time.clock() / 1_000,
  });
  return { head, state, time, asked };
}

const block = (number: number, timestampSeconds: number): Block => ({
  number: BigInt(number),
  timestampSeconds,
  baseFeePerGasWei: 7n,
});

describe('ChainHead', () => {
  it('says that the chain is unavailable before it has seen a head', () => {
    const { head } = world();
    expect(() => head.nowSeconds()).toThrow(DependencyUnavailableError);
    expect(() => head.assertNotHalted()).toThrow('has not been read yet');
  });

  it('takes the time and the base fee of the head', async () => {
    const { head } = world();
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0);
    expect(head.baseFeePerGasWei()).toBe(7n);
  });

  it("takes the pending block's time when the head is older than two block times", async () => {
    const { head, state, time } = world();
    await head.refresh();
    time.advanceSeconds(30);
    state.pending = block(101, T0 + 29);
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0 + 29);
  });

  it('never goes backwards when a node lags or reorganises', async () => {
    const { head, state, time } = world();
    await head.refresh();
    state.latest = block(98, T0 - 24);
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0);
    time.advanceSeconds(30);
    await head.refresh();
    state.pending = block(99, T0 - 12);
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0 + 12);
  });

  it.each([
    ['a higher block with an earlier time', block(101, T0 - 1)],
    ['the same block number with a later time', block(100, T0 + 5)],
  ])('does not take %s for progress', async (_title, answer) => {
    const { head, state, time } = world();
    await head.refresh();
    time.advanceSeconds(10);
    state.latest = answer;
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0);
    expect(head.ageSeconds()).toBe(10);
  });

  it.each([-600, -60, 0, 60, 600])(
    'notices a halted chain at its bound, not before, on a pod whose clock is %d s off',
    async (skewSeconds) => {
      const { head, state, time } = world({ skewSeconds });
      await head.refresh();
      time.advanceSeconds(120);
      await head.refresh();
      expect(() => head.assertNotHalted()).not.toThrow();
      time.advanceSeconds(1);
      await head.refresh();
      expect(() => head.assertNotHalted()).toThrow(expect.objectContaining({ reason: 'CHAIN_HALTED' }));

      state.latest = block(101, T0 + 121);
      await head.refresh();
      expect(() => head.assertNotHalted()).not.toThrow();
    },
  );

  it.each([-600, 0, 600])('gives the same time on chain on a pod whose clock is %d s off', async (skewSeconds) => {
    const { head, state } = world({ skewSeconds });
    state.pending = block(101, T0 + 1);
    await head.refresh();
    expect(head.nowSeconds() - T0).toBeLessThanOrEqual(1);
  });

  it('knows after a restart that a chain had halted long before', async () => {
    const { head, state } = world();
    state.latest = block(100, T0 - 3_600);
    await head.refresh();
    expect(() => head.assertNotHalted()).toThrow(expect.objectContaining({ reason: 'CHAIN_HALTED' }));
  });

  it('reads in the background from start to stop', async () => {
    jest.useFakeTimers();
    try {
      const { head, asked } = world();
      await head.start();
      await jest.advanceTimersByTimeAsync(3_500);
      const reads = asked.length;
      expect(reads).toBe(4);
      head.stop();
      await jest.advanceTimersByTimeAsync(5_000);
      expect(asked).toHaveLength(reads);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps the last head, and reports, when a refresh fails', async () => {
    const faults: unknown[] = [];
    const provider = { block: () => Promise.reject(new Error('down')) };
    const head = new ChainHead(chain, provider, { onFault: (error) => faults.push(error) });
    await head.start();
    head.stop();
    expect(faults).toHaveLength(1);
  });

  it.each([
    ['a block number beyond every chain', block(2 ** 53, T0 + 12)],
    ['a block more than ten minutes in the future', block(101, T0 + 613)],
    ['thousands of blocks within seconds', block(1_300, T0 + 12)],
  ])('does not believe %s', async (_title, wrong) => {
    const { head, state, time } = world();
    await head.refresh();
    time.advanceSeconds(12);
    state.latest = wrong;
    await expect(head.refresh()).rejects.toThrow('block.');
    state.latest = block(101, T0 + 12);
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0 + 12);
    expect(head.latest().number).toBe(101n);
  });

  it.each([
    ['number', block(2 ** 53, T0)],
    ['timestamp', block(100, 4_000_000_000)],
  ])('does not start with a %s that cannot be true', async (field, wrong) => {
    const { head, state } = world();
    state.latest = wrong;
    await expect(head.refresh()).rejects.toThrow(`block.${field}`);
    expect(() => head.nowSeconds()).toThrow(DependencyUnavailableError);
  });

  it('does not believe a pending block far in the future', async () => {
    const { head, state, time } = world();
    await head.refresh();
    time.advanceSeconds(30);
    state.pending = block(101, 4_000_000_000);
    await expect(head.refresh()).rejects.toThrow('block.timestamp');
    expect(head.nowSeconds()).toBe(T0);
  });

  it('follows a chain that is 48 times faster than configured, also after an outage', async () => {
    const { head, state, time } = world();
    await head.refresh();
    time.advanceSeconds(3_600);
    state.latest = block(100 + 4 * 3_600, T0 + 3_600);
    await head.refresh();
    expect(head.nowSeconds()).toBe(T0 + 3_600);
  });

  it('takes the head of the next URL when the first answers one that cannot be true, and reports it', async () => {
    const servers = await Promise.all(
      [2 ** 53, 7].map((number) =>
        FakeRpcServer.start({
          eth_chainId: () => '0x1',
          eth_getBlockByNumber: () => wireBlock({ number, timestampSeconds: T0 }),
        }),
      ),
    );
    try {
      const faults: Error[] = [];
      const rpcUrls = servers.map(({ url }) => url);
      const provider = new ChainProvider(
        { chainId: 1, rpcUrls },
        { ...UNHURRIED, onFault: (error) => faults.push(error) },
      );
      const head = new ChainHead(chain, provider, { wallClockSeconds: () => T0 });
      await head.refresh();
      expect(head.latest().number).toBe(7n);
      expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('block.number')]);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});
