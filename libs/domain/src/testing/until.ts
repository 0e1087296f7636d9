import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Far beyond what anything here takes, also on a machine that stands still now and then. The slowest: an event that
 * NATS sent to a request that had just ended comes again after half a minute.
 */
const LIMIT_MS = 180_000;
/** The pause between two looks grows by a millisecond each to so many, ... */
const PAUSE_MS = 20;
/** ... and then with the wait, of which it is one part of so many: a look may cost a server more than the test. */
const PART_OF_WAIT = 10;
const LONGEST_PAUSE_MS = 250;

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
  const wait = new Wait(withinMs);
  for (let isLast = false; ;) {
    const found = await look();
    if (found) return found as Exclude<T, false | null | undefined>;
    if (isLast) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await wait.pause();
    // The last look begins after the time is over, so that a pause of the machine costs no look.
    isLast = wait.isOver();
  }
}

/** Repeats an expectation until it holds. @throws what it threw last, when it does not hold in time */
export async function eventually<T>(withinMs: number, attempt: () => Promise<T>): Promise<T> {
  for (const wait = new Wait(withinMs); ; await wait.pause()) {
    const isLast = wait.isOver();
    try {
      return await attempt();
    } catch (error) {
      if (isLast) throw error;
    }
  }
}

class Wait {
  private readonly startedAt = performance.now();
  private looks = 0;

  constructor(private readonly withinMs: number) {}

  pause(): Promise<void> {
    const short = Math.min(++this.looks, PAUSE_MS);
    return sleep(Math.min(Math.max(short, this.waitedMs() / PART_OF_WAIT), LONGEST_PAUSE_MS));
  }

  isOver(): boolean {
    return this.waitedMs() > this.withinMs;
  }

  private waitedMs(): number {
    return performance.now() - this.startedAt;
  }
}
