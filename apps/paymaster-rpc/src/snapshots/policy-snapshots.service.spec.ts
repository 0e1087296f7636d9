import { RequestTimedOutError, type PolicySnapshot } from '@paymaster/domain';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import type { PolicyClient, ResolvedPolicy } from '@paymaster/messaging';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { PolicySnapshots } from './policy-snapshots.service';

const INDEX = 'ab'.repeat(32);

const answerOf = (policy: PolicySnapshot | undefined): ResolvedPolicy | undefined =>
  policy && { policy, lasting: true };

/** Stands in for the dashboard and answers from a table of chains. */
const dashboard = (snapshots: Record<number, PolicySnapshot>) => {
  const resolve = jest.fn(async ({ chainId }: { chainId: number }) => answerOf(snapshots[chainId]));
  return { resolve, connected: true, start: () => undefined, close: async () => undefined };
};

const policies = (client: object, policyMaxStalenessSeconds = 60): PolicySnapshots =>
  new PolicySnapshots(client as PolicyClient, { policyMaxStalenessSeconds } as PaymasterRpcConfig);

describe('PolicySnapshots', () => {
  const snapshot = policySnapshotBuilder().with('chainId', 10).build();

  it('does not give the answer for one chain to a caller of another', async () => {
    const target = policies(dashboard({ 10: snapshot }));
    const ask = (chainId: number) => target.resolve({ apiKeyIndex: INDEX, chainIds: [chainId], requestId: 'x' });
    const [wrong, right] = await Promise.all([ask(1), ask(10)]);
    expect(wrong).toBeUndefined();
    expect(right?.snapshot).toEqual(snapshot);
  });

  it('asks once for callers of the same chain that come together', async () => {
    const client = dashboard({ 10: snapshot });
    const target = policies(client);
    const ask = () => target.resolve({ apiKeyIndex: INDEX, chainIds: [10], requestId: 'x' });
    await Promise.all([ask(), ask(), ask()]);
    expect(client.resolve).toHaveBeenCalledTimes(1);
  });

  describe('for requests with a deadline', () => {
    /** Stands in for a dashboard that answers when the test says so; keys of chain 1 are unknown to it. */
    const slow = () => {
      const answers: Array<() => void> = [];
      const resolve = jest.fn(
        ({ chainId }: { chainId: number }) =>
          new Promise<ResolvedPolicy | undefined>((done) =>
            answers.push(() => done(chainId === 10 ? answerOf(snapshot) : undefined)),
          ),
      );
      const client = { resolve, connected: true, start: () => undefined, close: async () => undefined };
      return { resolve, target: policies(client), answer: () => answers.shift()!() };
    };
    const asking = { apiKeyIndex: INDEX, chainIds: [1, 10], requestId: 'x' };
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    let nowMs: number;
    beforeEach(() => {
      nowMs = 1_000;
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    });
    afterEach(() => jest.restoreAllMocks());

    it('asks no question when it is over', async () => {
      const { resolve, target } = slow();
      await expect(target.resolve({ ...asking, deadlineMs: 1_000 })).rejects.toThrow(RequestTimedOutError);
      expect(resolve).not.toHaveBeenCalled();
    });

    it('repeats no question when no request waits any more', async () => {
      const { resolve, target, answer } = slow();
      const asked = target.resolve({ ...asking, deadlineMs: 2_000 });
      nowMs = 2_000;
      answer();
      await expect(asked).rejects.toThrow(RequestTimedOutError);
      expect(resolve).toHaveBeenCalledTimes(1);
    });

    it('continues for later requests that still wait', async () => {
      const { resolve, target, answer } = slow();
      const first = target.resolve({ ...asking, deadlineMs: 2_000 });
      const second = target.resolve({ ...asking, deadlineMs: 3_000 });
      nowMs = 2_500;
      answer();
      await nextTurn();
      answer();
      expect((await second)?.snapshot).toEqual(snapshot);
      await first;
      expect(resolve).toHaveBeenCalledTimes(2);
    });
  });

  describe('as time goes by', () => {
    let nowMs: number;
    beforeEach(() => {
      nowMs = performance.now();
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    });
    afterEach(() => jest.restoreAllMocks());

    const wait = async (ms: number): Promise<void> => {
      nowMs += ms;
      await new Promise((resolve) => setTimeout(resolve, 5)); // the cache reads the clock at most once in a millisecond
    };

    it('believes a restored database once no copy of the newer version may be used any more', async () => {
      const snapshots: Record<number, PolicySnapshot> = { 10: { ...snapshot, version: 9 } };
      const target = policies(dashboard(snapshots));
      const version = async () =>
        (await target.resolve({ apiKeyIndex: INDEX, chainIds: [10], requestId: 'x' }))?.snapshot.version;
      expect(await version()).toBe(9);

      snapshots[10] = { ...snapshot, version: 5 };
      await wait(30_000);
      expect(await version()).toBe(9);
      await wait(31_000);
      expect(await version()).toBe(5);
    });

    it('remembers an unknown key for a second, and no longer', async () => {
      const snapshots: Record<number, PolicySnapshot> = {};
      const target = policies(dashboard(snapshots));
      const isKnown = async () =>
        (await target.resolve({ apiKeyIndex: INDEX, chainIds: [10], requestId: 'x' })) !== undefined;
      expect(await isKnown()).toBe(false);

      snapshots[10] = snapshot;
      await wait(990);
      expect(await isKnown()).toBe(false);
      await wait(11);
      expect(await isKnown()).toBe(true);
    });
  });
});
