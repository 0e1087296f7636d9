import { matchReservation } from './match-reservation';

const [small, near, large] = [500n, 1_000n, 2_000n].map((holdWei, index) => ({ id: String(index + 9), holdWei }));

describe('matchReservation', () => {
  it('takes the hold nearest to the precharge among those that cover it', () => {
    expect(matchReservation(900n, [large!, small!, near!])).toBe(near);
    expect(matchReservation(1_000n, [large!, near!])).toBe(near);
    expect(matchReservation(1_001n, [large!, near!])).toBe(large);
  });

  it('takes the earliest of equal ones, by number and not by text', () => {
    const later = { id: '10', holdWei: 1_000n };
    const earlier = { id: '9', holdWei: 1_000n };
    expect(matchReservation(900n, [later, earlier])).toBe(earlier);
    expect(matchReservation(1_100n, [later, earlier])).toBe(earlier);
  });

  it('takes the largest where none covers it', () => {
    expect(matchReservation(5_000n, [near!, large!, small!])).toBe(large);
  });

  it('finds nothing among none', () => {
    expect(matchReservation(1n, [])).toBeUndefined();
  });
});
