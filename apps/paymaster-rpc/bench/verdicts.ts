/** What a measurement says of one target. */
export interface Verdict {
  /** Its number. */
  readonly target: number;
  readonly what: string;
  /** What was measured, with its unit. */
  readonly value: string;
  readonly bound: string;
  readonly met: boolean;
}

const mark = (met: boolean): string => (met ? 'met' : 'MISSED');

export const verdictLine = ({ target, what, value, bound, met }: Verdict): string =>
  `#${target} ${what.padEnd(46)} ${value.padStart(8)}   target ${bound}: ${mark(met)}`;

/** Targets as a table, in the order of their numbers. */
export function verdictTable(verdicts: readonly Verdict[]): readonly string[] {
  const sorted = [...verdicts].sort((one, other) => one.target - other.target);
  const rows = sorted.map(({ target, what, value, bound, met }) => [`#${target}`, what, value, bound, mark(met)]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
