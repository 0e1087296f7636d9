import { BucketShares } from './bucket-shares';
import { TokenBuckets } from './token-buckets';

const PER_SECOND = 200;
const CAPACITY = 400;
const STEP_MS = 5;

/** A bucket, its shares and its users. */
function world({ share = 0.5, perSecond = PER_SECOND, capacity = CAPACITY } = {}) {
  const clock = { nowMs: 0 };
  const options = { perSecond, capacity, nowMs: () => clock.nowMs };
  const buckets = new TokenBuckets(options);
  const shares = new BucketShares(options);
  const take = (user: string, weight = 1): boolean => {
    if (shares.waitSeconds(user, { weight, left: buckets.left('key'), share }) > 0) return false;
    if (buckets.take('key', weight) > 0) return false;
    shares.took(user, weight);
    return true;
  };
  /** Users who take all they can. @returns what each got */
  const flood = (users: number, seconds: number, between: () => void = () => undefined): number[] => {
    const got = Array.from({ length: users }, () => 0);
    for (const endMs = clock.nowMs + seconds * 1_000; clock.nowMs < endMs; clock.nowMs += STEP_MS) {
      // A different user is the first in each turn.
      for (let at = 0; at < users; at++) {
        const user = (at + clock.nowMs / STEP_MS) % users;
        while (take(`flood ${user}`)) got[user]! += 1;
      }
      between();
    }
    return got;
  };
  return { clock, buckets, shares, take, flood };
}

describe('BucketShares', () => {
  it.each([0.25, 0.5, 0.9])('give a user who takes all it can %s of a full bucket, and of the inflow', (share) => {
    const { flood } = world({ share });
    expect(flood(1, 0.005)[0]).toBeCloseTo(CAPACITY * share, -1);
    flood(1, 60);
    const [perMinute = 0] = flood(1, 60);
    expect(perMinute / (60 * PER_SECOND * share)).toBeCloseTo(1, 1);
  });

  it.each([
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 6],
    [1, 10],
    [1, 50],
  ])('after %i s always let a modest user through beside %i users who take all they can', (seconds, users) => {
    const { take, flood, clock } = world();
    const refused = { count: 0 };
    flood(users, seconds);
    flood(users, 60, () => void (clock.nowMs % 500 === 0 && !take('honest') && refused.count++));
    expect(refused.count).toBe(0);
  });

  it('divide the inflow among several users who take all they can', () => {
    const { flood } = world();
    flood(4, 30);
    for (const got of flood(4, 60)) expect(got / ((60 * PER_SECOND) / 4)).toBeCloseTo(1, 1);
  });

  it('let a user who took nothing lately take what one request needs, also from a small bucket', () => {
    const { take, clock } = world({ perSecond: 1, capacity: 20 });
    expect([take('a', 20), take('a')]).toEqual([true, false]);
    clock.nowMs = 200_000;
    expect(take('a', 20)).toBe(true);
  });

  it('say how long a user has to wait, after which it is let through', () => {
    const { take, shares, buckets, clock } = world();
    while (take('a'));
    const waitSeconds = shares.waitSeconds('a', { weight: 20, left: buckets.left('key'), share: 0.5 });
    expect(waitSeconds).toBeGreaterThan(0);
    expect(waitSeconds).toBeLessThan(10);
    clock.nowMs += waitSeconds * 1_000;
    expect(take('a', 20)).toBe(true);
  });

  it('report what was taken, and count what was taken elsewhere', () => {
    const { take, shares } = world();
    take('a', 3);
    expect([shares.drain(10), shares.drain(10)]).toEqual([[['a', 3]], []]);
    shares.takeElsewhere('b', CAPACITY);
    expect(take('b')).toBe(false);
    expect(shares.drain(10)).toEqual([]);
  });
});
