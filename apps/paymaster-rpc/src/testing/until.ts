import { setTimeout as sleep } from 'node:timers/promises';

/** Far beyond what anything here takes, also on a machine that stands still now and then. */
const LIMIT_MS = 60_000;

/** Waits until something holds, looking often. @throws naming it when it does not hold in time */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = LIMIT_MS): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (let isLast = false; !(await holds());) {
    if (isLast) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await sleep(20);
    // The last look begins after the end, so that a pause before it takes no look away.
    isLast = performance.now() > endsAt;
  }
}
