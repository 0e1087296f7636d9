import type { PolicySnapshot } from '@paymaster/domain';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import type { KnownPolicy, PolicyClient } from '@paymaster/messaging';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { PolicySnapshots } from './policy-snapshots.service';

const request = { apiKeyIndex: 'ab'.repeat(32), chainIds: [10], requestId: 'x' };
/** A copy that is older than this is confirmed before it is used. */
const OLD_MS = 11_000;

describe('PolicySnapshots confirms a copy', () => {
  let nowMs: number;
  let current: PolicySnapshot | undefined;
  let questions: Array<KnownPolicy | undefined>;
  let target: PolicySnapshots;
  beforeEach(() => {
    nowMs = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    current = policySnapshotBuilder().with('chainId', 10).with('version', 3).build();
    questions = [];
    const resolve = async (_question: object, _requestId: string, known?: KnownPolicy) => {
      questions.push(known);
      return known && known.version === current?.version ? 'unchanged' : current;
    };
    const client = { resolve, connected: true };
    target = new PolicySnapshots(
      client as unknown as PolicyClient,
      { policyMaxStalenessSeconds: 300 } as PaymasterRpcConfig,
    );
  });
  afterEach(() => jest.restoreAllMocks());

  it('by naming its version, and keeps the same policy when it is unchanged', async () => {
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
    const first = await target.resolve(request);
    target.reconnected();
    nowMs += 1;
    expect(await target.resolve(request)).toBe(first);
    expect(questions).toHaveLength(2);
    expect(target.resolve(request)).toBe(first);
  });
});
