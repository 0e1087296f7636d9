import { setTimeout as sleep } from 'node:timers/promises';

/** Far longer than anything here takes, also on a machine that stalls now and then. */
const LIMIT_MS = 60_000;

/** Waits until something holds, looking often. @throws naming it when it does not hold in time */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = LIMIT_MS): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (let isLast = false; !(await holds());) {
    if (isLast) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await sleep(20);
    // The last check begins after the time is over, so that a pause of the machine costs no check.
    isLast = performance.now() > endsAt;
  }
}
