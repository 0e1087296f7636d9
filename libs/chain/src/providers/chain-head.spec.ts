import { DependencyUnavailableError } from '@paymaster/domain';
import { fakeClock } from '../testing';
import { ChainHead } from './chain-head';
import type { Block } from './chain-provider';

const T0 = 1_800_000_000;
const chain = { chainId: 1, blockTimeSeconds: 12, maxHeadAgeSeconds: 120 };

/** A chain whose blocks the test sets, seen by a pod whose wall clock is `skewSeconds` off. */
function world(options: { skewSeconds?: number } = {}) {
  const time = fakeClock();
  const asked: string[] = [];
  const state = { latest: block(100, T0), pending: block(101, T0 + 12) };
  const provider = {
    block: async (tag: 'latest' | 'pending') => {
      asked.push(tag);
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
});
