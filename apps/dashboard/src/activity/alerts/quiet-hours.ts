/** Hours of each day in which nobody is told anything, by the clock of a place. */
export interface QuietHours {
  /** HH:MM; inclusive. */
  readonly from: string;
  /** HH:MM; exclusive. Before `from`: on the next day. */
  readonly to: string;
  /** IANA name, such as Europe/Berlin. */
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;

/**
 * When the quiet hours end in which that time is, or undefined when it is in none. The clock is read minute by minute:
 * so a night in which it is put forward or back is as long as people have it.
 */
export function quietUntil({ from, to, timeZone }: QuietHours, at: Date): Date | undefined {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const isQuiet = (ms: number): boolean => {
    const time = clock.format(ms);
    return from < to ? from <= time && time < to : from <= time || time < to;
  };
  if (!isQuiet(at.getTime())) return undefined;
  let end = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  while (isQuiet(end)) end += MINUTE_MS;
  return new Date(end);
}

/** Whether the name is that of a time zone. */
export function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string' || name.length > 64 || !/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
