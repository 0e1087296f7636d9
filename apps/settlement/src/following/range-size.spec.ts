import { RangeSize } from './range-size';

describe('RangeSize', () => {
  it('starts with the most, halves after slow steps down to one block, and grows back after quick ones', () => {
    const range = new RangeSize({ most: 200, targetMs: 1_000 });
    const after = (ms: number) => {
      range.took(ms);
      return range.current;
    };
    expect(range.current).toBe(200);
    expect([after(1_001), after(9_000), after(500), after(1_000)]).toEqual([100, 50, 50, 50]);
    for (let step = 0; step < 20; step++) range.took(2_000);
    expect(range.current).toBe(1);
    expect([after(10), after(10), after(10)]).toEqual([2, 4, 8]);
    for (let step = 0; step < 20; step++) range.took(0);
    expect(range.current).toBe(200);
  });
});
