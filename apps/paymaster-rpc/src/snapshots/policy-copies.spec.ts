import type { PolicySnapshot } from '@paymaster/domain';
import { policySnapshotBuilder, randomAddress, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { PolicyCopies } from './policy-copies';

const indexOf = (key: number): string => key.toString(16).padStart(64, '0');
const snapshotOf = (changes: Partial<PolicySnapshot> = {}): PolicySnapshot => ({
  ...policySnapshotBuilder().build(),
  contracts: [{ address: randomAddress(), selectors: ['0xa9059cbb'] }],
  policies: [rulesPolicyBuilder({ maxCallValueWei: 2n ** 200n }).build()],
  ...changes,
});
const KIBIBYTE = 1_024;

describe('PolicyCopies', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => jest.restoreAllMocks());

  it('gives back what was kept, the same object while it is used often', () => {
    const copies = new PolicyCopies();
    const snapshot = snapshotOf();
    expect(copies.keep(indexOf(1), snapshot, 5).snapshot).toBe(snapshot);
    const copy = copies.get(indexOf(1))!;
    expect(copy).toMatchObject({ paymasterId: snapshot.paymasterId, version: 1, confirmedAtMs: 5 });
    const loaded = copies.load(indexOf(1), copy);
    expect(loaded.snapshot).toEqual(snapshot);
    nowMs += 60_000;
    expect(copies.load(indexOf(1), copy)).toBe(loaded);
  });

  it('keeps no tables of a key that is used seldom', () => {
    const copies = new PolicyCopies();
    const snapshot = snapshotOf();
    copies.keep(indexOf(1), snapshot, 5);
    const { bytes } = copies;
    for (let use = 1; use <= 3; use++) {
      nowMs += 300;
      expect(copies.load(indexOf(1), copies.get(indexOf(1))!).snapshot).toEqual(snapshot);
      expect(copies.bytes).toBe(bytes);
    }
    nowMs += 299;
    copies.load(indexOf(1), copies.get(indexOf(1))!);
    expect(copies.bytes).toBeGreaterThan(bytes);
  });

  it('keeps the tables of a large policy that is used less often, because they are dear to make', () => {
    const copies = new PolicyCopies();
    const contracts = Array.from({ length: 400 }, () => ({
      address: randomAddress(),
      selectors: ['0xa9059cbb'] as const,
    }));
    copies.keep(indexOf(1), snapshotOf({ contracts }), 5);
    const copy = copies.get(indexOf(1))!;
    nowMs += 900;
    const loaded = copies.load(indexOf(1), copy);
    expect(copies.load(indexOf(1), copy)).toBe(loaded);
  });

  it('keeps the tables of a version that is confirmed again', () => {
    const copies = new PolicyCopies();
    const snapshot = snapshotOf();
    copies.keep(indexOf(1), snapshot, 5);
    const loaded = copies.load(indexOf(1), copies.get(indexOf(1))!);
    expect(copies.keep(indexOf(1), { ...snapshot }, 9)).toBe(loaded);
    expect(copies.get(indexOf(1))?.confirmedAtMs).toBe(9);
  });

  it('makes the tables of a policy that was long not in use from its text, to the last digit', () => {
    const copies = new PolicyCopies({ text: 1_024 * KIBIBYTE, compiled: 64 * KIBIBYTE });
    const snapshot = snapshotOf({ name: 'Zahlmeister – 支払' });
    const first = copies.keep(indexOf(0), snapshot, 1);
    for (let key = 1; key < 100; key++) copies.keep(indexOf(key), snapshotOf(), 1);
    expect(copies.size).toBe(100);
    const again = copies.load(indexOf(0), copies.get(indexOf(0))!);
    expect(again).not.toBe(first);
    expect(again.snapshot).toEqual(snapshot);
    expect(again.policy.selectorsByContract).toEqual(first.policy.selectorsByContract);
  });

  it('forgets the least recently used texts when they take too much, counting wide characters twice', () => {
    const copies = new PolicyCopies({ text: 160 * KIBIBYTE, compiled: 1_024 * KIBIBYTE });
    const wide = snapshotOf({ settings: { ...snapshotOf().settings, allowedOrigins: ['支'.repeat(10 * KIBIBYTE)] } });
    for (let key = 1; key <= 9; key++) {
      copies.get(indexOf(1));
      copies.keep(indexOf(key), { ...wide, paymasterId: `paymaster-${key}` }, 1);
    }
    // Texts of 23 KiB each.
    expect(copies.size).toBe(6);
    expect(copies.peek(indexOf(1))).toBeDefined();
    expect(copies.peek(indexOf(2))).toBeUndefined();
    expect([...copies.values()][0]?.paymasterId).toBe('paymaster-9');
  });

  it('returns a policy that is larger than its bound, but does not keep it', () => {
    const copies = new PolicyCopies({ text: KIBIBYTE, compiled: KIBIBYTE });
    const snapshot = snapshotOf();
    expect(copies.keep(indexOf(1), snapshot, 1).snapshot).toBe(snapshot);
    expect(copies.size).toBe(0);
  });

  it('takes back a copy that was forgotten while it was confirmed', () => {
    const copies = new PolicyCopies();
    const snapshot = snapshotOf();
    copies.keep(indexOf(1), snapshot, 1);
    const copy = copies.get(indexOf(1))!;
    copies.delete(indexOf(1));
    copies.confirm(indexOf(1), copy, 7);
    expect(copies.get(indexOf(1))).toMatchObject({ version: 1, confirmedAtMs: 7 });
    expect(copies.load(indexOf(1), copy).snapshot).toEqual(snapshot);
  });

  it('replaces a copy by another version, or by another paymaster', () => {
    const copies = new PolicyCopies();
    const old = snapshotOf();
    copies.keep(indexOf(1), old, 1);
    const newer = { ...old, version: 2, contracts: [] };
    expect(copies.keep(indexOf(1), newer, 2).snapshot).toBe(newer);
    expect(copies.load(indexOf(1), copies.get(indexOf(1))!).snapshot).toEqual(newer);
    const other = snapshotOf({ version: 2 });
    expect(copies.keep(indexOf(1), other, 3).snapshot).toBe(other);
    copies.deleteOlder(old.paymasterId, 9);
    expect(copies.size).toBe(1);
  });

  it('forgets the copies of all keys of a paymaster, also when some were forgotten before', () => {
    const copies = new PolicyCopies();
    const snapshot = snapshotOf({ version: 1 });
    for (const key of [1, 2, 3]) copies.keep(indexOf(key), snapshot, 1);
    copies.deleteOlder(snapshot.paymasterId, 2);
    expect(copies.size).toBe(0);

    const next = { ...snapshot, version: 2 };
    for (const key of [1, 2, 3]) copies.keep(indexOf(key), next, 2);
    copies.delete(indexOf(3));
    copies.delete(indexOf(1));
    copies.deleteOlder(snapshot.paymasterId, 2);
    expect(copies.size).toBe(1);
    copies.deleteOlder(snapshot.paymasterId, 3);
    expect(copies.size).toBe(0);
  });

  it('forgets the copy of a paymaster that is below a version, and only that', () => {
    const copies = new PolicyCopies();
    const [one, other] = [snapshotOf({ version: 3 }), snapshotOf({ version: 3 })];
    copies.keep(indexOf(1), one, 1);
    copies.keep(indexOf(2), other, 1);
    copies.deleteOlder(one.paymasterId, 3);
    expect(copies.size).toBe(2);
    copies.deleteOlder(one.paymasterId, 4);
    expect(copies.get(indexOf(1))).toBeUndefined();
    expect(copies.get(indexOf(2))?.paymasterId).toBe(other.paymasterId);
  });
});
