/** Something measured against its bound. */
export interface Verdict {
  readonly scene: string;
  readonly what: string;
  /** With its unit. */
  readonly measured: string;
  readonly bound: string;
  readonly met: boolean;
}

const mark = (met: boolean): string => (met ? 'ok' : 'MISSED');

/** All verdicts as a table, one line each under a heading. */
export function verdictTable(verdicts: readonly Verdict[]): readonly string[] {
  const rows = verdicts.map(({ scene, what, measured, bound, met }) => [scene, what, measured, bound, mark(met)]);
  const table = [['scene', 'what', 'measured', 'bound', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The value below which a share of all lies; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** How often each word occurs: `3 × connection lost, 1 × not connected`. */
export function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} × ${word}`).join(', ') || 'none';
}
