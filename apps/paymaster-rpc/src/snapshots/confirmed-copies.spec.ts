import { DependencyUnavailableError, type PolicySnapshot } from '@paymaster/domain';
import { keyGrantBuilder, policySnapshotBuilder } from '@paymaster/domain/testing';
import type { KnownPolicy, PolicyClient, PolicyNews } from '@paymaster/messaging';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { PolicySnapshots } from './policy-snapshots.service';

const request = { apiKeyIndex: 'ab'.repeat(32), chainIds: [10], requestId: 'x' };
/** A copy that is older than this is confirmed before it is used. */
const OLD_MS = 11_000;

describe('PolicySnapshots confirms a copy', () => {
  let nowMs: number;
  let current: PolicySnapshot | undefined;
  let lasting: boolean;
  let questions: Array<KnownPolicy | undefined>;
  let onItsWay: Promise<unknown> | undefined;
  /** The numbers of the gateway's questions for news. */
  let newsSince: Array<number | undefined>;
  let news: () => Promise<PolicyNews>;
  let target: PolicySnapshots;
  beforeEach(() => {
    nowMs = performance.now();
    jest.useFakeTimers({ now: Date.now(), doNotFake: ['performance', 'nextTick', 'setImmediate', 'queueMicrotask'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    current = policySnapshotBuilder().with('chainId', 10).with('version', 3).build();
    lasting = true;
    questions = [];
    onItsWay = undefined;
    newsSince = [];
    news = () => Promise.reject(new Error('no dashboard listens'));
    const client = {
      connected: true,
      start: () => undefined,
      resolve: async (_question: object, _origin: object, known?: KnownPolicy) => {
        questions.push(known);
        const answer = current && { policy: known?.version === current.version ? 'unchanged' : current, lasting };
        await onItsWay;
        return answer;
      },
      news: (since: number | undefined) => {
        newsSince.push(since);
        return news();
      },
    };
    target = new PolicySnapshots(
      client as unknown as PolicyClient,
      { policyMaxStalenessSeconds: 300 } as PaymasterRpcConfig,
    );
    target.onApplicationBootstrap();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** Time goes by, and the gateway asks for news. */
  const wait = async (ms: number) => {
    for (let waited = 0; waited < ms; waited += 1_000) {
      nowMs += 1_000;
      await jest.advanceTimersByTimeAsync(1_000);
    }
  };
  const tell = (reply: PolicyNews) => (news = async () => reply);

  it('by naming its version, and keeps the same policy when it is unchanged', async () => {
    await target.resolve(request);
    const first = await target.resolve(request);
    nowMs += OLD_MS;
    expect(await target.resolve(request)).toBe(first);
    expect(questions).toMatchObject([undefined, { paymasterId: current?.paymasterId, version: 3 }]);
    expect(target.resolve(request)).toBe(first);
  });

  it('and takes the new policy in its place', async () => {
    await target.resolve(request);
    nowMs += OLD_MS;
    current = { ...current!, version: 4, name: 'another name' };
    expect((await target.resolve(request))?.snapshot).toBe(current);
    expect(target.resolve(request)).toMatchObject({ snapshot: { version: 4 } });
  });

  it('and forgets it when the key is revoked', async () => {
    await target.resolve(request);
    nowMs += OLD_MS;
    current = undefined;
    expect(await target.resolve(request)).toBeUndefined();
    expect(target.check().detail).toBe('0 policies in memory');
  });

  it('and ignores an "unchanged" for a version below an announced one', async () => {
    await target.resolve(request);
    target.policyChanged({ paymasterId: current!.paymasterId, version: 4 });
    await expect(target.resolve(request)).rejects.toThrow('outdated policy');
    expect(questions.slice(1)).toEqual([undefined, undefined, undefined]);
  });

  it('after a reconnection, whatever its age', async () => {
    await target.resolve(request);
    const first = await target.resolve(request);
    target.reconnected();
    nowMs += 1;
    expect(await target.resolve(request)).toBe(first);
    expect(questions).toHaveLength(2);
    expect(target.resolve(request)).toBe(first);
  });

  describe('by the news', () => {
    const policyOf = async () => (await target.resolve(request))?.snapshot;
    /** A copy that the news confirm from now on. */
    beforeEach(async () => {
      tell({ number: 7 });
      await wait(2_000);
      tell({ number: 7, changed: [] });
      await policyOf();
      questions = [];
    });

    it.each([
      ['once a minute for a named key, whose last use is noted', keyGrantBuilder().build(), 60_000],
      ['after half the time for which news confirm it, else', null, 180_000],
    ])('without asking about it, but %s', async (_title, key, askedAfterMs) => {
      current = { ...current!, version: 4, key };
      target.policyChanged({ paymasterId: current.paymasterId, version: 4 });
      await policyOf();
      questions = [];
      await wait(askedAfterMs - 2_000);
      expect(target.resolve(request)).toMatchObject({ snapshot: current });
      expect(questions).toEqual([]);
      expect(target.oldestInUse.seconds(nowMs)).toBeLessThan(3);
      await wait(4_000);
      expect(target.resolve(request)).toMatchObject({ snapshot: current });
      expect(questions).toHaveLength(1);
      expect(new Set(newsSince)).toEqual(new Set([undefined, 7]));
    });

    it('and forgets it when they name its policy, though no broadcast came', async () => {
      current = { ...current!, version: 4 };
      tell({ number: 8, changed: [{ paymasterId: current.paymasterId, version: 4 }] });
      await wait(2_000);
      expect(await policyOf()).toBe(current);
      tell({ number: 8, changed: [] });
      await wait(2_000);
      expect(newsSince.at(-1)).toBe(8);
    });

    it('and takes no older policy than they name, also when the dashboard was asked before', async () => {
      onItsWay = wait(2_000);
      target.reconnected();
      const asked = target.resolve(request);
      current = { ...current!, version: 4 };
      tell({ number: 8, changed: [{ paymasterId: current.paymasterId, version: 4 }] });
      await Promise.all([asked, onItsWay]);
      expect(await policyOf()).toBe(current);
      expect(questions.length).toBeGreaterThan(1);
    });

    it('and not where its key ends at a time that is set', async () => {
      lasting = false;
      await wait(182_000);
      await policyOf();
      await wait(12_000);
      await policyOf();
      expect(questions).toHaveLength(2);
    });

    it('and not where they may have missed a change: every copy is asked about once', async () => {
      tell({ number: 3 });
      await wait(12_000);
      tell({ number: 3, changed: [] });
      await policyOf();
      await wait(12_000);
      await policyOf();
      expect(questions).toHaveLength(1);
    });

    it('and not where they did not come for ten seconds', async () => {
      news = () => Promise.reject(new Error('no dashboard listens'));
      await wait(8_000);
      await policyOf();
      expect(questions).toHaveLength(1);
      await wait(12_000);
      tell({ number: 9 });
      await wait(2_000);
      expect(newsSince.at(-1)).toBeUndefined();
      await policyOf();
      expect(questions).toHaveLength(2);
    });

    it('and, after a gap, it is as old as when they came last', async () => {
      await wait(50_000);
      news = () => Promise.reject(new Error('no dashboard listens'));
      await wait(260_000);
      tell({ number: 9 });
      await wait(2_000);
      onItsWay = Promise.reject(new DependencyUnavailableError('dashboard', 'It is busy.'));
      expect((await policyOf())?.version).toBe(3);
    });

    it('and asks first about a copy about which nobody asked for long: a lost change is in no news', async () => {
      current = { ...current!, version: 4 };
      await wait(176_000);
      expect((await policyOf())?.version).toBe(3);
      expect(questions).toEqual([]);
      await wait(16_000);
      expect((await policyOf())?.version).toBe(4);
    });

    it('and, when the database lost its version, not for much longer than an unconfirmed copy may be used', async () => {
      current = { ...current!, version: 2 };
      await wait(62_000);
      expect((await policyOf())?.version).toBe(3);
      await wait(300_000);
      expect(await policyOf()).toBe(current);
    });
  });
});
