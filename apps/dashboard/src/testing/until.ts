import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Far beyond what anything here takes, also on a machine that stands still now and then. The slowest: an event that
 * the server sent to a request that had just ended comes again after half a minute.
 */
const LIMIT_MS = 180_000;

/** Waits for what happens in the background. @throws when it did not within three minutes */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not happen within three minutes');
    await sleep(20);
  }
}
