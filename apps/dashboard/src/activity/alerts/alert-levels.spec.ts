import { limitLevel, refusalsLevel, walletLevel } from './alert-levels';

describe('walletLevel', () => {
  it.each([
    [99n, 1, 1],
    [100n, 0, 1],
    [109n, 0, 1],
    [110n, 0, 0],
  ])('of %d where 100 is the bound', (spendable, reached, held) => {
    expect(walletLevel(spendable, 100n)).toEqual({ reached, held });
  });
});

describe('limitLevel', () => {
  it.each([
    [0n, 0, 0],
    [49n, 0, 50],
    [50n, 50, 50],
    [74n, 50, 75],
    [89n, 75, 90],
    [100n, 100, 100],
    [150n, 100, 100],
  ])('of %d of 100', (used, reached, held) => {
    expect(limitLevel(used, 100n, [50, 75, 90, 100])).toEqual({ reached, held });
  });

  it('knows only the percentages that are asked for', () => {
    expect(limitLevel(80n, 100n, [90])).toEqual({ reached: 0, held: 90 });
    expect(limitLevel(0n, 0n, [50])).toEqual({ reached: 50, held: 50 });
  });
});

describe('refusalsLevel', () => {
  const quiet = { refused: 40, all: 1_000 };
  it.each([
    ['three of three refused', { refused: 3, all: 3 }, quiet, 0],
    ['three of three, without a past', { refused: 3, all: 3 }, { refused: 0, all: 0 }, 0],
    ['nothing happens', { refused: 0, all: 0 }, quiet, 0],
    ['as before', { refused: 40, all: 1_000 }, quiet, 0],
    ['many more of both', { refused: 400, all: 10_000 }, quiet, 0],
    ['9 points more', { refused: 130, all: 1_000 }, quiet, 0],
    ['a wave', { refused: 300, all: 1_000 }, quiet, 1],
    ['a wave of few', { refused: 20, all: 40 }, quiet, 1],
    ['a wave where nearly all was refused before', { refused: 960, all: 1_000 }, { refused: 900, all: 1_000 }, 0],
    ['a bad hour of a paymaster of few operations', { refused: 20, all: 40 }, { refused: 8, all: 20 }, 0],
    ['everything, without a past', { refused: 25, all: 25 }, { refused: 0, all: 0 }, 1],
  ])('%s', (_title, lastHour, dayBefore, reached) => {
    expect(refusalsLevel(lastHour, dayBefore).reached).toBe(reached);
  });

  it('holds until the share is near that of before', () => {
    expect(refusalsLevel({ refused: 95, all: 1_000 }, quiet)).toEqual({ reached: 0, held: 1 });
    expect(refusalsLevel({ refused: 60, all: 1_000 }, quiet)).toEqual({ reached: 0, held: 0 });
    expect(refusalsLevel({ refused: 9, all: 9 }, quiet)).toEqual({ reached: 0, held: 0 });
  });

  it('fires by chance in fewer than one of 300 hours in which nothing changed', () => {
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const draw = (all: number) => ({ all, refused: Array.from({ length: all }, random).filter((x) => x < 0.2).length });
    let fired = 0;
    for (let hour = 0; hour < 3_000; hour++) fired += refusalsLevel(draw(100), draw(400)).reached;
    expect(fired).toBeLessThan(10);
  });
});
