import { Zipf } from './zipf';

/** Repeatable numbers in [0, 1): Park and Miller's generator. */
function numbers(seed = 1): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe('Zipf', () => {
  it('draws the r-th rank 1/r times as often as the first', () => {
    const zipf = new Zipf(1_000, numbers());
    const drawn = new Array<number>(1_000).fill(0);
    for (let draw = 0; draw < 200_000; draw++) drawn[zipf.next()]! += 1;
    for (const rank of [0, 1, 9, 99]) expect(drawn[rank]! / 200_000 / zipf.shareOf(rank)).toBeCloseTo(1, 0.8);
    expect(drawn[0]! / drawn[9]!).toBeGreaterThan(8);
    expect(drawn[0]! / drawn[9]!).toBeLessThan(12);
  });

  it('draws the first and the last rank, and nothing beyond', () => {
    expect(new Zipf(10, () => 0).next()).toBe(0);
    expect(new Zipf(10, () => 1 - Number.EPSILON).next()).toBe(9);
  });

  it('has shares that are one together', () => {
    const zipf = new Zipf(500);
    const sum = Array.from({ length: 500 }, (_, rank) => zipf.shareOf(rank)).reduce((all, share) => all + share, 0);
    expect(sum).toBeCloseTo(1, 9);
  });

  it('orders every rank once by when it was asked last, frequent ones mostly late', () => {
    const order = [...new Zipf(2_000, numbers()).lastAsked()];
    expect([...order].sort((one, other) => one - other)).toEqual(Array.from({ length: 2_000 }, (_, rank) => rank));
    expect(order.indexOf(0)).toBeGreaterThan(1_900);
    const meanPlace = (ranks: readonly number[]): number =>
      ranks.reduce((sum, rank) => sum + order.indexOf(rank), 0) / ranks.length;
    expect(meanPlace(Array.from({ length: 50 }, (_, rank) => rank))).toBeGreaterThan(
      meanPlace(Array.from({ length: 50 }, (_, rank) => 1_900 + rank)) + 500,
    );
  });
});
