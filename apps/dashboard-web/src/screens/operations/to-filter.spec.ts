import { searchedIn, toFilter } from './to-filter';

describe('toFilter', () => {
  it('takes what the URL says, in the form that the dashboard reads', () => {
    const filter = toFilter({ state: 'refused', reason: ' spending_limit_reached ', sender: ' 0xab ', hash: '0xcd' });
    expect(filter).toMatchObject({
      state: 'refused',
      reason: 'SPENDING_LIMIT_REACHED',
      sender: '0xab',
      userOpHash: '0xcd',
    });
  });

  it('takes the search, the method and the policy', () => {
    const filter = toFilter({ search: ' 0xab ', contract: '0xcc', method: '0x12345678', policy: 'p1' });
    expect(filter).toMatchObject({ search: '0xab', contract: '0xcc', method: '0x12345678', policyId: 'p1' });
  });

  it('includes both days of a period', () => {
    const { from, to } = toFilter({ from: '2026-11-25', to: '2026-11-26' });
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(2 * 24 * 60 * 60 * 1_000);
    expect(new Date(from ?? '').getDate()).toBe(25);
  });

  it('drops what is no state and no day', () => {
    const filter = toFilter({ state: 'happy', from: 'yesterday', reason: '  ' });
    expect(Object.values(filter).filter((value) => value !== undefined)).toEqual([]);
  });
});

it.each([
  [` 0x${'aB'.repeat(32)}\n`, `0x${'aB'.repeat(32)}`],
  [`0x${'ab'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
  ['spending limit reached', 'spending_limit_reached'],
  ['c6f5a6a1-2f0e-4a53-9a3a-7a54b1b7c9d0', 'c6f5a6a1-2f0e-4a53-9a3a-7a54b1b7c9d0'],
  ['0x12', undefined],
  ['what?', undefined],
  [' ', undefined],
])('searchedIn %j is %j', (text, searched) => {
  expect(searchedIn(text)).toBe(searched);
});
