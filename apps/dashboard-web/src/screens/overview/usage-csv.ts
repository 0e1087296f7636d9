import type { Schemas } from '../../api/queries';

const COLUMNS = [
  ...(['start', 'granted', 'refused', 'settled', 'reverted', 'voided'] as const),
  ...(['spentWei', 'spentUsd', 'unpriced', 'receivedUsd', 'unrecorded', 'netUsd'] as const),
];

/** A line for each hour or day, every digit (RFC 4180); its values need no quotes. */
export function usageCsv(points: readonly Schemas['UsageView'][]): string {
  const lines = points.map((point) => COLUMNS.map((column) => point[column]).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}
