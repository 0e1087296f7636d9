import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what happens in the background. @throws when it did not within 10 s */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not happen within 10 s');
    await sleep(20);
  }
}
