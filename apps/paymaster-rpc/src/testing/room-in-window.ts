import { setTimeout as sleep } from 'node:timers/promises';

const LENGTH_SECONDS = { HOUR: 3_600, DAY: 86_400 } as const;
/** Longer than any test of a window takes, and the chain's clock may be ahead by a little. */
const ROOM_SECONDS = 60;

/** Waits, if need be, until a calendar window (UTC) has a minute left: what a test does after it is in one window. */
export async function roomInWindow(cycle: keyof typeof LENGTH_SECONDS): Promise<void> {
  const length = LENGTH_SECONDS[cycle];
  const leftSeconds = length - ((Date.now() / 1_000) % length);
  if (leftSeconds < ROOM_SECONDS) await sleep((leftSeconds + 5) * 1_000);
}
