/** What is done after it is in one calendar window (UTC): longer than any test of a window takes. */
const ROOM_SECONDS = 60;

/** When each window ends; weeks begin on Mondays. Unix milliseconds. */
const ENDS_AT: Readonly<Record<'HOUR' | 'DAY' | 'WEEK' | 'MONTH', (now: Date) => number>> = {
  HOUR: (now) => new Date(now).setUTCHours(now.getUTCHours() + 1, 0, 0, 0),
  DAY: (now) => new Date(now).setUTCHours(24, 0, 0, 0),
  WEEK: (now) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 7 - ((now.getUTCDay() + 6) % 7)),
  MONTH: (now) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1),
};

/** Waits, if need be, until a window of limits has a minute left. */
export async function roomInWindow(cycle: keyof typeof ENDS_AT): Promise<void> {
  const leftMs = ENDS_AT[cycle](new Date()) - Date.now();
  // The chain's clock may be behind ours by a little.
  if (leftMs < ROOM_SECONDS * 1_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 5_000));
}
