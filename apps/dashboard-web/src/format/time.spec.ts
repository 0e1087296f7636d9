import { clock, relativeTime, runway, spanOf, utcTime } from './time';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');

describe('relativeTime', () => {
  it.each([
    ['2026-11-26T11:59:55.000Z', 'just now'],
    ['2026-11-26T12:00:05.000Z', 'in a moment'],
    ['2026-11-26T11:57:00.000Z', '3 min ago'],
    ['2026-11-26T14:00:00.000Z', 'in 2 h'],
    ['2026-11-20T12:00:00.000Z', '6 days ago'],
  ])('%s is %s', (iso, said) => {
    expect(relativeTime(iso, NOW)).toBe(said);
  });
});

describe('runway', () => {
  it.each([
    [null, 'not spending'],
    [0, '0 h'],
    [5.55, '5.5 h'],
    [71.9, '2.9 days'],
    [24 * 30, '30 days'],
    [24 * 10_000, '2+ years'],
  ])('%s hours are %s', (hours, said) => {
    expect(runway(hours)).toBe(said);
  });
});

it('spanOf cuts to the largest unit', () => {
  expect([59, 61, 7_200, 200_000].map(spanOf)).toEqual(['59 s', '1 min', '2 h', '2 days']);
});

it('utcTime names its zone', () => {
  expect(utcTime('2026-11-26T13:03:07.123Z')).toBe('2026-11-26 13:03:07 UTC');
});

it.each([
  [5, '00:00:05'],
  [3_552, '00:59:12'],
  [86_400, '1 day 00:00:00'],
  [183_845, '2 days 03:04:05'],
])('clock shows %i seconds as %s', (seconds, shown) => {
  expect(clock(seconds)).toBe(shown);
});
