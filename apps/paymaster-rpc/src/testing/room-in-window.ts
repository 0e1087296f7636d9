import { setTimeout as sleep } from 'node:timers/promises';

const LENGTH_SECONDS = { HOUR: 3_600, DAY: 86_400 } as const;
/** Longer than any test of a window takes, with room for a chain's clock that is slightly ahead. */
const ROOM_SECONDS = 60;

/**
 * Waits, if needed, until a calendar window (UTC) has at least a minute left, so that all further steps of a test are
 * in one window.
 */
export async function roomInWindow(cycle: keyof typeof LENGTH_SECONDS): Promise<void> {
  const length = LENGTH_SECONDS[cycle];
  const leftSeconds = length - ((Date.now() / 1_000) % length);
  if (leftSeconds < ROOM_SECONDS) await sleep((leftSeconds + 5) * 1_000);
}
