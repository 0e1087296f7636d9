import { formatUnits, parseUnits } from 'viem';
import type { Schemas } from '../../api/queries';

type Row = Pick<Schemas['UsageView'], 'start' | 'key' | 'spentUsd'>;

const DAY_MS = 86_400_000;
/** The days that a split of thirty days touches. */
const DAYS = 31;
const USD_DECIMALS = 12;

export interface DayLines {
  /** Of each day, the oldest first. */
  readonly starts: readonly string[];
  /** The dearest parts, and what they leave of the whole where they leave something: its key is undefined. USD. */
  readonly lines: readonly { readonly key: string | undefined; readonly values: readonly string[] }[];
}

/**
 * What was spent day by day for the dearest parts.
 *
 * @param most how many parts get a line
 */
export function dayLines(
  parts: readonly Row[],
  modes: readonly Row[],
  { now, most }: { now: Date; most: number },
): DayLines {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const starts = Array.from({ length: DAYS }, (_, at) => new Date(today - (DAYS - 1 - at) * DAY_MS).toISOString());
  const place = new Map(starts.map((start, at) => [start, at]));
  const byKey = new Map<string, bigint[]>();
  const rest = starts.map(() => 0n);
  for (const { start, key = '', spentUsd } of parts) {
    const days = byKey.get(key) ?? starts.map(() => 0n);
    byKey.set(key, days);
    add(days, place.get(start), spentUsd);
  }
  for (const { start, spentUsd } of modes) add(rest, place.get(start), spentUsd);
  const dearest = [...byKey].sort(([, one], [, other]) => (sum(other) > sum(one) ? 1 : -1)).slice(0, most);
  for (const [, days] of dearest) days.forEach((usd, at) => (rest[at]! -= usd));
  const all = [...dearest, ...(rest.some((usd) => usd !== 0n) ? [[undefined, rest] as const] : [])];
  return {
    starts,
    lines: all.map(([key, days]) => ({ key, values: days.map((usd) => formatUnits(usd, USD_DECIMALS)) })),
  };
}

function add(days: bigint[], at: number | undefined, usd: string): void {
  if (at !== undefined) days[at]! += parseUnits(usd, USD_DECIMALS);
}

const sum = (days: readonly bigint[]): bigint => days.reduce((total, usd) => total + usd, 0n);
