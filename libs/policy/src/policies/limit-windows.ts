import type { CycleLimit, LimitCycle } from '@paymaster/domain';

/** The time in which a limit counts: from `start` until before `end`. */
export interface LimitWindow {
  /** Names the window within its limit. */
  readonly name: string;
  /** Unix seconds; undefined for a window that never ends. */
  readonly endsAtSeconds: number | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** Monday, 5 January 1970: weeks start on Mondays (ISO 8601), the epoch was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const LIFETIME: LimitWindow = { name: 'ever', endsAtSeconds: undefined };

/** The calendar window of a native limit; UTC, which has no summer time. */
export function calendarWindow(cycle: LimitCycle, nowSeconds: number): LimitWindow {
  const nowMs = nowSeconds * 1_000;
  switch (cycle) {
    case 'HOUR':
      return windowFrom(floorTo(nowMs, HOUR_MS), HOUR_MS);
    case 'DAY':
      return windowFrom(floorTo(nowMs, DAY_MS), DAY_MS);
    case 'WEEK':
      return windowFrom(floorTo(nowMs - FIRST_MONDAY_MS, WEEK_MS) + FIRST_MONDAY_MS, WEEK_MS);
    case 'MONTH': {
      const now = new Date(nowMs);
      const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
      return windowFrom(startMs, Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - startMs);
    }
    case 'LIFETIME':
      return LIFETIME;
  }
}

/**
 * The fixed window of a `PAYMASTER_SA_LIMIT`, counted from its start. The chain's clock may be behind the one that
 * set the start: what is signed before it counts in the first window, not in one of its own.
 */
export function fixedWindow({ startTimeMs, durationMs }: CycleLimit, nowSeconds: number): LimitWindow {
  const index = Math.max(0, Math.floor((nowSeconds * 1_000 - startTimeMs) / durationMs));
  return windowFrom(startTimeMs + index * durationMs, durationMs);
}

function windowFrom(startMs: number, durationMs: number): LimitWindow {
  return { name: String(startMs / 1_000), endsAtSeconds: Math.ceil((startMs + durationMs) / 1_000) };
}

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}
