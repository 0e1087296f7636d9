import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Far beyond what anything here takes, also on a machine that stands still now and then. The slowest: an event that
 * NATS sent to a request that had just ended comes again after half a minute.
 */
const LIMIT_MS = 180_000;
const PAUSE_MS = 20;

/**
 * Waits for what happens in the background, by looking often.
 *
 * @returns what the last look found
 * @throws naming `what` when there is nothing in time
 */
export async function until<T>(
  look: () => T | Promise<T>,
  what = String(look),
  withinMs = LIMIT_MS,
): Promise<Exclude<T, false | null | undefined>> {
  const endsAt = performance.now() + withinMs;
  for (let [looks, isLast] = [0, false]; ;) {
    const found = await look();
    if (found) return found as Exclude<T, false | null | undefined>;
    if (isLast) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await sleep(Math.min(++looks, PAUSE_MS));
    // The last look begins after the time is over, so that a pause of the machine costs no look.
    isLast = performance.now() > endsAt;
  }
}

/** Repeats an expectation until it holds. @throws what it threw last, when it does not hold in time */
export async function eventually<T>(withinMs: number, attempt: () => Promise<T>): Promise<T> {
  for (const endsAt = performance.now() + withinMs; ; await sleep(PAUSE_MS)) {
    const isLast = performance.now() > endsAt;
    try {
      return await attempt();
    } catch (error) {
      if (isLast) throw error;
    }
  }
}
