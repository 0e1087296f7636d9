import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 120_000;

/** Waits for what other processes do. @throws when it did not happen within two minutes */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${LIMIT_MS / 1_000} s`);
    await sleep(20);
  }
}
