import type { MonotonicClock } from '@paymaster/turns';

/** A clock that moves when told. */
export interface FakeClock {
  readonly clock: MonotonicClock;
  advanceSeconds(seconds: number): void;
}

export function fakeClock(): FakeClock {
  let nowMs = 0;
  return { clock: () => nowMs, advanceSeconds: (seconds) => void (nowMs += seconds * 1_000) };
}
