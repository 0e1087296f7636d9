import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what happens in the background. @throws when it did not within three minutes */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 180_000; !(await condition());) {
    if (Date.now() > end) throw new Error(`it did not happen within 180 s: ${condition}`);
    await sleep(25);
  }
}
