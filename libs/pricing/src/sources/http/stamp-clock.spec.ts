import { fakeClock } from '../../testing';
import { StampClock } from './stamp-clock';

describe('StampClock', () => {
  it('takes the age from the server, not from this machine', () => {
    const stamps = new StampClock(fakeClock().clock);
    expect(stamps.ageSeconds({ id: 'a', stampSeconds: 1_000, serverSeconds: 1_042 })).toBe(42);
  });

  it('lets an unchanged stamp age, even if the server reports it as new', () => {
    const clock = fakeClock();
    const stamps = new StampClock(clock.clock);
    const replayed = { id: 'a', stampSeconds: 1_000, serverSeconds: 1_001 };
    stamps.ageSeconds(replayed);
    clock.advanceSeconds(300);
    expect(stamps.ageSeconds(replayed)).toBe(300);
    expect(stamps.ageSeconds({ ...replayed, stampSeconds: 1_300, serverSeconds: 1_301 })).toBe(1);
  });

  it('refuses a stamp from the future, but not one a moment ahead', () => {
    const stamps = new StampClock(fakeClock().clock);
    expect(stamps.ageSeconds({ id: 'a', stampSeconds: 1_061, serverSeconds: 1_000 })).toBeUndefined();
    expect(stamps.ageSeconds({ id: 'a', stampSeconds: 1_060, serverSeconds: 1_000 })).toBe(0);
  });
});
