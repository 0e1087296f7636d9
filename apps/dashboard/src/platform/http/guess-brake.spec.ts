import { GuessBrake } from './guess-brake';

const OFFICE = '203.0.113.7';

function world() {
  const clock = { nowMs: 0 };
  const brake = new GuessBrake(() => clock.nowMs);
  const fail = (times: number, address = OFFICE) => {
    for (let tries = 0; tries < times; tries++) brake.failed(address);
  };
  return { clock, brake, fail };
}

describe('GuessBrake', () => {
  it('lets the first guesses be free, then adds pauses that double up to half a minute', () => {
    const { clock, brake, fail } = world();
    fail(304);
    expect(brake.waitSeconds(OFFICE)).toBe(0);
    const pauses: number[] = [];
    for (let round = 0; round < 12; round++) {
      while (brake.waitSeconds(OFFICE) === 0) fail(1);
      pauses.push(brake.waitSeconds(OFFICE));
      // Sends guesses like an attacker who never stops.
      clock.nowMs += brake.waitSeconds(OFFICE) * 1_000;
    }
    expect(pauses.slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(pauses.at(-1)).toBe(30);
  });

  it('ends the pause by itself, and forgets with time', () => {
    const { clock, brake, fail } = world();
    fail(305);
    expect(brake.waitSeconds(OFFICE)).toBe(1);
    clock.nowMs = 1_000;
    expect(brake.waitSeconds(OFFICE)).toBe(0);
    clock.nowMs = 4_000_000;
    fail(304);
    expect(brake.waitSeconds(OFFICE)).toBe(0);
  });

  it('does not delay other addresses', () => {
    const { brake, fail } = world();
    fail(400);
    expect(brake.waitSeconds('203.0.113.8')).toBe(0);
  });

  it('counts guesses that other processes report, and reports its own', () => {
    const { brake, fail } = world();
    brake.takeElsewhere(OFFICE, 300);
    fail(5);
    expect(brake.waitSeconds(OFFICE)).toBe(1);
    expect(brake.drain(10)).toEqual([[OFFICE, 5]]);
    expect(brake.drain(10)).toEqual([]);
  });
});
