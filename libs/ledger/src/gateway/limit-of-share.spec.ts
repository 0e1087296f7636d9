import { limitOfShare } from './limit-of-share';

describe('the value of a share', () => {
  it.each([
    ['all that is left, for a client that holds nothing', 10n, 10n, 0n, 0n],
    ['all that is left and what the operation itself holds, for a client that holds nothing else', 10n, 9n, 1n, 1n],
    ['half of what is left and held, for a client that holds another operation', 6n, 9n, 2n, 1n],
    ['rounded up', 6n, 9n, 2n, 0n],
    ['never less than what is held', 8n, 2n, 8n, 0n],
    ['what is held, when more is spent than the limit', 3n, -5n, 3n, 1n],
    ['what is held by the operation alone, when nothing is left', 3n, 0n, 3n, 3n],
  ])('is %s', (_title, limit, leftOver, used, held) => {
    expect(limitOfShare({ percent: 50, leftOver, used, held })).toBe(limit);
  });
});
