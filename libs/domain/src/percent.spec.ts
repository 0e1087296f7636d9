import { PERCENT_PATTERN, percentToMillionths, millionthsToPercent } from './percent';

describe('a percentage', () => {
  it.each([
    ['0', 0, '0'],
    ['10', 100_000, '10'],
    ['2.5', 25_000, '2.5'],
    ['0.0001', 1, '0.0001'],
    ['7.0100', 70_100, '7.01'],
    ['99.9999', 999_999, '99.9999'],
    ['100', 1_000_000, '100'],
    ['100.0000', 1_000_000, '100'],
  ])('of %s percent is %s millionths, and is shown as %s', (text, millionths, shown) => {
    expect(text).toMatch(PERCENT_PATTERN);
    expect(percentToMillionths(text)).toBe(millionths);
    expect(millionthsToPercent(millionths)).toBe(shown);
  });

  it.each([
    '',
    ' 10',
    '10\n',
    '-1',
    '+1',
    '100.0001',
    '100.1',
    '101',
    '1000',
    '1.00000',
    '1e1',
    '.5',
    '1.',
    '010',
    '1,5',
  ])('is never written as %j', (text) => expect(text).not.toMatch(PERCENT_PATTERN));

  it('comes back from text as it went in, over the whole range', () => {
    for (let millionths = 0; millionths <= 1_000_000; millionths += 37) {
      expect(percentToMillionths(millionthsToPercent(millionths))).toBe(millionths);
    }
  });
});
