import { toFilter } from './to-filter';

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
