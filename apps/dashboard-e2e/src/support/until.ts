import { setTimeout as sleep } from 'node:timers/promises';

/** An event that the server sent to a request that had just ended comes again after half a minute. */
const LIMIT_MS = 180_000;

/** Waits for what other processes do. @throws when it did not happen within three minutes */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${LIMIT_MS / 1_000} s`);
    await sleep(20);
  }
}
