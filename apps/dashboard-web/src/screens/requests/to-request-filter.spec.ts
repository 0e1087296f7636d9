import { searchedIn, toRequestFilter } from './to-request-filter';

const ACCOUNT = `0x${'Ab'.repeat(20)}`;

describe('toRequestFilter', () => {
  it.each([
    [ACCOUNT, { sender: ACCOUNT }],
    ['NO_POLICIES_SET', { reason: 'NO_POLICIES_SET' }],
    ['no_policies_set', { reason: 'NO_POLICIES_SET' }],
    [' 7b0c1f0e-3b9b-4d5e-9a60-1c5c0d9e7f11 ', { requestId: '7b0c1f0e-3b9b-4d5e-9a60-1c5c0d9e7f11' }],
    ['my-request.1', { requestId: 'my-request.1' }],
    ['two words', {}],
    ['0x1234', {}],
  ])('looks for %j where it can be', (search, filter) => {
    expect(toRequestFilter({ search })).toEqual(filter);
  });

  it('takes the rest of what the URL says, and includes both days of a period', () => {
    const search = { outcome: 'refused', method: 'm', key: 'main', from: '2026-11-25', to: '2026-11-25' };
    const { from, to, ...filter } = toRequestFilter(search);
    expect(filter).toEqual({ outcome: 'refused', method: 'm', key: 'main' });
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1_000);
    expect(toRequestFilter({ outcome: 'toString' }).outcome).toBeUndefined();
  });
});

it('says that nothing can be looked for by other texts', () => {
  expect(searchedIn(`0x${'ab'.repeat(32)}`)).toBeUndefined();
});
