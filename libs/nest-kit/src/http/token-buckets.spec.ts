import { TokenBuckets } from './token-buckets';

/** Buckets of 4 tokens that get 2 a second, and their clock. */
function world({ maxBuckets }: { maxBuckets?: number } = {}) {
  const clock = { nowMs: 0 };
  const buckets = new TokenBuckets({ perSecond: 2, capacity: 4, maxBuckets, nowMs: () => clock.nowMs });
  return { clock, buckets };
}

describe('TokenBuckets', () => {
  it('lets a full bucket be spent at once and then says how long to wait', () => {
    const { buckets } = world();
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 0]);
    expect(buckets.take('a')).toBe(1);
    expect(buckets.take('a', 4)).toBe(2);
  });

  it('fills with time, up to its capacity', () => {
    const { buckets, clock } = world();
    buckets.take('a', 4);
    clock.nowMs = 500;
    expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1]);
    clock.nowMs = 60_000;
    expect([buckets.take('a', 4), buckets.take('a')]).toEqual([0, 1]);
  });

  it('takes nothing when it refuses', () => {
    const { buckets } = world();
    buckets.take('a', 3);
    expect(buckets.take('a', 2)).toBe(1);
    expect(buckets.take('a', 1)).toBe(0);
  });

  it('keeps one key apart from another', () => {
    const { buckets } = world();
    buckets.take('a', 4);
    expect(buckets.take('b')).toBe(0);
  });

  it('takes tokens back when another key pays, but never beyond its capacity', () => {
    const { buckets } = world();
    buckets.take('a', 4);
    buckets.giveBack('a');
    expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1]);
    buckets.giveBack('b', 10);
    expect([buckets.take('b', 4), buckets.take('b')]).toEqual([0, 1]);
    buckets.giveBack('b', 10);
    expect([buckets.take('b', 4), buckets.take('b')]).toEqual([0, 1]);
  });

  it('forgets the longest silent key first, and never holds more than its maximum', () => {
    const { buckets } = world({ maxBuckets: 3 });
    buckets.take('a', 4);
    for (let stranger = 0; stranger < 1_000; stranger++) {
      expect(buckets.take('a')).toBe(1);
      buckets.take(`stranger ${stranger}`);
    }
    expect(buckets.size).toBe(3);
  });
});

describe('shared TokenBuckets', () => {
  function shared() {
    const clock = { nowMs: 0 };
    return { clock, buckets: new TokenBuckets({ perSecond: 2, capacity: 4, shared: true, nowMs: () => clock.nowMs }) };
  }

  it('report what was let through since the last time, but not what was refused or given back', () => {
    const { buckets } = shared();
    buckets.take('a', 3);
    buckets.take('a', 2);
    buckets.take('b');
    buckets.giveBack('b');
    expect(buckets.drain(10)).toEqual([['a', 3]]);
    expect(buckets.drain(10)).toEqual([]);
    buckets.take('a');
    expect(buckets.drain(10)).toEqual([['a', 1]]);
  });

  it('report a bounded number of keys, and the others next time', () => {
    const { buckets } = shared();
    for (const key of ['a', 'b', 'c']) buckets.take(key);
    expect([buckets.drain(2), buckets.drain(2)]).toEqual([
      [
        ['a', 1],
        ['b', 1],
      ],
      [['c', 1]],
    ]);
  });

  it('list a waiting key once, however often its tokens were given back', () => {
    const { buckets } = shared();
    for (let times = 0; times < 5; times++) {
      buckets.take('a');
      buckets.giveBack('a');
    }
    buckets.take('b');
    expect(buckets.drain(1)).toEqual([['b', 1]]);
    buckets.take('a');
    expect(buckets.drain(1)).toEqual([['a', 1]]);
  });

  it('report no more keys than they remember, and continue when those are reported', () => {
    const { buckets } = shared();
    for (let key = 0; key < 10_001; key++) buckets.take(`key ${key}`);
    expect(buckets.drain(20_000)).toHaveLength(10_000);
    buckets.take('key 10000');
    expect(buckets.drain(20_000)).toEqual([['key 10000', 1]]);
  });

  it('pay for what others let through, also below zero, but never owe more than a full bucket', () => {
    const { buckets, clock } = shared();
    buckets.takeElsewhere('a', 4);
    expect(buckets.take('a')).toBe(1);
    buckets.takeElsewhere('a', 1_000);
    expect(buckets.take('a')).toBe(3);
    clock.nowMs = 2_500;
    expect(buckets.take('a')).toBe(0);
  });

  it('do not report what other processes reported', () => {
    const { buckets } = shared();
    buckets.takeElsewhere('a', 2);
    expect(buckets.drain(10)).toEqual([]);
  });
});
