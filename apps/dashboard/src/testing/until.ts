import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what happens in the background. @throws when it did not within 5 s */
export async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 20) {
    if (waited > 5_000) throw new Error('it did not happen within 5 s');
    await sleep(20);
  }
}
