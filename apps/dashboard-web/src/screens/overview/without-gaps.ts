import type { Schemas } from '../../api/queries';

type Point = Schemas['UsageView'];

const HOUR_MS = 3_600_000;
const STEPS = { hour: { ms: HOUR_MS, points: 24 }, day: { ms: 24 * HOUR_MS, points: 30 } } as const;
const NO_MONEY = { spentWei: '0', spentUsd: '0', unpriced: 0, receivedUsd: '0', unrecorded: 0, netUsd: '0' };
const NOTHING = {
  granted: 0,
  refused: 0,
  settled: 0,
  reverted: 0,
  voided: 0,
  gasUsed: '0',
  gasCostWei: '0',
  ...NO_MONEY,
};

/** A point for every hour or day of the period that ends now: the dashboard leaves out those in which nothing happened. */
export function withoutGaps(points: readonly Point[], interval: 'hour' | 'day', now: Date): readonly Point[] {
  const { ms, points: wanted } = STEPS[interval];
  const known = new Map(points.map((point) => [Date.parse(point.start), point]));
  const last = Math.floor(now.getTime() / ms) * ms;
  return Array.from({ length: wanted }, (_, index) => {
    const start = last - (wanted - 1 - index) * ms;
    return known.get(start) ?? { ...NOTHING, start: new Date(start).toISOString() };
  });
}
