const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Beyond this a runway says only that the money lasts. */
const LONG_DAYS = 730;

/** Making a format takes longer than using it a hundred times. */
const LOCAL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** In the reader's own zone, as in `26 Nov 2026, 14:03:07`. */
export function localTime(iso: string): string {
  return LOCAL.format(new Date(iso));
}

/** The same time in UTC: `2026-11-26 13:03:07 UTC`. */
export function utcTime(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** How long ago, or until when: `just now`, `in a moment`, `3 min ago`, `in 2 h`. */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.round((nowMs - new Date(iso).getTime()) / 1_000);
  const span = spanOf(Math.abs(seconds));
  if (Math.abs(seconds) < 10) return seconds < 0 ? 'in a moment' : 'just now';
  return seconds > 0 ? `${span} ago` : `in ${span}`;
}

/** The reader's own day, or the day after so many days, as the time in UTC at which it starts; undefined where it is no day. */
export function startOfDay(day: string | undefined, daysLater: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (!year || !month || !date) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}

/** How long money lasts: `5 h`, `3.2 days`, `2+ years`; null is a wallet that spent nothing. */
export function runway(hours: number | null): string {
  if (hours === null) return 'not spending';
  if (hours < 48) return `${trim(hours)} h`;
  const days = hours / 24;
  return days > LONG_DAYS ? '2+ years' : `${trim(days)} days`;
}

/** A span of seconds to count down by: `00:59:12`, `2 days 03:04:05`. */
export function clock(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  const parts = [Math.floor((seconds % DAY) / HOUR), Math.floor((seconds % HOUR) / MINUTE), seconds % MINUTE];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  if (days === 0) return time;
  return days === 1 ? `1 day ${time}` : `${days} days ${time}`;
}

/** A span of seconds in its largest unit. */
export function spanOf(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} days`;
}

function trim(value: number): string {
  return value >= 10 ? String(Math.floor(value)) : String(Math.floor(value * 10) / 10);
}
