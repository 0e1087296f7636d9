import type { MonotonicClock } from '@paymaster/turns';
import type { ChainTime } from '../sources/chain-time';

/** Monotonic time and chain time, which move together when the test says so. */
export interface FakeClock extends ChainTime {
  readonly clock: MonotonicClock;
  advanceSeconds(seconds: number): void;
}

export function fakeClock(chainStartSeconds = 1_800_000_000): FakeClock {
  let nowMs = 0;
  return {
    clock: () => nowMs,
    nowSeconds: () => chainStartSeconds + Math.floor(nowMs / 1_000),
    advanceSeconds: (seconds) => void (nowMs += seconds * 1_000),
  };
}
