import { matchReservation } from './match-reservation';

const [small, near, large] = [500n, 1_000n, 2_000n].map((holdWei, index) => ({ id: String(index + 9), holdWei }));

describe('matchReservation', () => {
  it('takes the hold nearest to the precharge among those that cover it', () => {
    expect(matchReservation(900n, [large!, small!, near!])).toBe(near);
    expect(matchReservation(1_000n, [large!, near!])).toBe(near);
    expect(matchReservation(1_001n, [large!, near!])).toBe(large);
  });

  it('takes the earliest of equal holds, by number and not by text', () => {
    const later = { id: '10', holdWei: 1_000n };
    const earlier = { id: '9', holdWei: 1_000n };
    expect(matchReservation(900n, [later, earlier])).toBe(earlier);
    expect(matchReservation(1_100n, [later, earlier])).toBe(earlier);
  });

  it('takes the largest hold where no hold covers the precharge', () => {
    expect(matchReservation(5_000n, [near!, large!, small!])).toBe(large);
  });

  it('takes a reservation with an exposure for an operation that did not pay, if its hold covers it', () => {
    const exposed = { ...large!, isExposed: true };
    const candidates = [near!, exposed];
    expect(matchReservation(900n, candidates, { isUnpaid: true })).toBe(exposed);
    expect(matchReservation(900n, candidates)).toBe(near);
    expect(matchReservation(900n, [{ ...small!, isExposed: true }, near!], { isUnpaid: true })).toBe(near);
    expect(matchReservation(900n, [near!], { isUnpaid: true })).toBe(near);
  });

  it('finds nothing when there is no reservation', () => {
    expect(matchReservation(1n, [])).toBeUndefined();
  });
});
