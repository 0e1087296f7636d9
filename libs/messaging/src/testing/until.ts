import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for something that happens in the background. @throws when it did not within a minute */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !condition();) {
    if (Date.now() > end) throw new Error(`it did not happen within 60 s: ${condition}`);
    await sleep(10);
  }
}
