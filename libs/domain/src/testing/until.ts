import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Far beyond what anything here takes, also on a machine that stands still now and then. The slowest: an event that
 * NATS sent to a request that had just ended comes again after half a minute.
 */
const LIMIT_MS = 180_000;
const PAUSE_MS = 20;

/** Waits for what happens in the background, by looking often. @throws naming `what` when it does not hold in time */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = String(holds),
  withinMs = LIMIT_MS,
): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (let isLast = false; !(await holds());) {
    if (isLast) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await sleep(PAUSE_MS);
    // The last look begins after the time is over, so that a pause of the machine costs no look.
    isLast = performance.now() > endsAt;
  }
}
