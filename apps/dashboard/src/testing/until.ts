import { setTimeout as sleep } from 'node:timers/promises';

/** Far beyond what anything here takes, also on a machine that stands still now and then. */
const LIMIT_MS = 60_000;

/** Waits for what happens in the background. @throws when it did not within a minute */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not happen within a minute');
    await sleep(20);
  }
}
