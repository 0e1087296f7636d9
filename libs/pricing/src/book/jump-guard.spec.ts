import { JumpGuard } from './jump-guard';

const guard = () => new JumpGuard(200_000);
const feed = (levels: readonly bigint[], to = guard()) => levels.map((level) => to.accepts(level));

describe('JumpGuard', () => {
  it('believes the first price, and moves up to the bound', () => {
    expect(feed([100n, 120n, 96n])).toEqual([true, true, true]);
  });

  it('holds back a single wrong sample, and continues with the next good one', () => {
    expect(feed([100n, 1_000n, 101n])).toEqual([true, false, true]);
  });

  it('believes a real crash at the third reading in a row', () => {
    expect(feed([100n, 40n, 41n, 39n, 40n])).toEqual([true, false, false, true, true]);
  });

  it('believes a market that goes on falling while it is confirmed', () => {
    expect(feed([100n, 70n, 60n, 50n])).toEqual([true, false, false, true]);
  });

  it('starts counting again when the price jumps to yet another level', () => {
    expect(feed([100n, 1_000n, 10n, 1_000n, 10n, 10n, 10n])).toEqual([true, false, false, false, false, false, true]);
  });

  it('starts counting again after a return to the old level', () => {
    expect(feed([100n, 1_000n, 1_000n, 100n, 1_000n, 1_000n])).toEqual([true, false, false, true, false, false]);
  });

  it('holds a jump back however small the price', () => {
    expect(feed([1n, 2n])).toEqual([true, false]);
  });
});
