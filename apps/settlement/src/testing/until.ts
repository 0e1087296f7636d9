import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what happens in the background. @throws when it did not within the time */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await condition());) {
    if (Date.now() > end) throw new Error(`it did not happen within ${withinMs} ms`);
    await sleep(25);
  }
}
