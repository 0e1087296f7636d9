import type { Schemas } from '../../api/queries';

const COLUMNS = [
  ...(['start', 'granted', 'refused', 'settled', 'reverted', 'voided'] as const),
  ...(['spentWei', 'spentUsd', 'unpriced', 'receivedUsd', 'unrecorded', 'netUsd'] as const),
];

/** A line for each hour or day, with `by` of each part; every digit (RFC 4180). Its values need no quotes. */
export function usageCsv(points: readonly Schemas['UsageView'][], by?: string): string {
  const lines = points.map((point) => [
    ...COLUMNS.map((column) => point[column]),
    ...(by === undefined ? [point.gasUsed, point.gasCostWei] : [point.key, point.received]),
  ]);
  const header = [...COLUMNS, ...(by === undefined ? ['gasUsed', 'gasCostWei'] : [by, 'received'])];
  return [header, ...lines, []].map((cells) => cells.join(',')).join('\r\n');
}
