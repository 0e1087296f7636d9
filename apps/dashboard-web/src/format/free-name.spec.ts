import { freeName } from './free-name';

it('makes another name each time, which begins with the one that is taken', () => {
  const names = Array.from({ length: 20 }, () => freeName('My dapp'));
  for (const name of names) expect(name).toMatch(/^My dapp [0-9a-z]{4}$/);
  expect(new Set(names).size).toBeGreaterThan(15);
});

it.each(['a'.repeat(100), `${'a'.repeat(94)}\u{1F600}bcd`])('makes no longer name than is allowed of %s', (long) => {
  const name = freeName(long);
  expect(name.length).toBeLessThanOrEqual(100);
  expect(name.isWellFormed()).toBe(true);
});
