import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';

/** A stamp that is this far ahead of the server's own clock is refused. */
const MAX_AHEAD_SECONDS = 60;
const MAX_IDS = 5_000;

/**
 * Tells how old a stamped price is without the pod's wall clock, which may be minutes wrong. It uses the server's own
 * clock (the answer's `Date`). The price is at least as old as the time since its stamp was first seen, so that a
 * replayed answer, which has an old `Date` too, ages as well.
 */
export class StampClock {
  private readonly firstSeen = new LRUCache<string, { stampSeconds: number; seenAtMs: number }>({ max: MAX_IDS });

  constructor(private readonly clock: MonotonicClock = monotonicClock) {}

  /** @returns undefined when the stamp lies in the server's future */
  ageSeconds(input: { id: string; stampSeconds: number; serverSeconds: number }): number | undefined {
    const { id, stampSeconds, serverSeconds } = input;
    if (stampSeconds > serverSeconds + MAX_AHEAD_SECONDS) return undefined;
    const known = this.firstSeen.get(id);
    if (known?.stampSeconds !== stampSeconds) this.firstSeen.set(id, { stampSeconds, seenAtMs: this.clock() });
    const seenSeconds = known?.stampSeconds === stampSeconds ? (this.clock() - known.seenAtMs) / 1_000 : 0;
    return Math.max(0, serverSeconds - stampSeconds, seenSeconds);
  }
}
