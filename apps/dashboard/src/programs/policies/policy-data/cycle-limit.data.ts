/** What a limit counts over. */
export const LIMIT_SUBJECTS = ['PAYMASTER', 'SMART_ACCOUNT'] as const;
/** Operations, or gas in whole native units. */
export const THRESHOLD_TYPES = ['COUNT', 'NATIVE_ASSET'] as const;

export const HOUR_MS = 3_600_000;
/** Units of a cycle, and the longest cycle in each: a year. */
export const CYCLE_UNITS = {
  hour: { ms: HOUR_MS, most: 366 * 24 },
  day: { ms: 24 * HOUR_MS, most: 366 },
} as const;
export type CycleUnit = keyof typeof CYCLE_UNITS;

/** What an owner says of a `PAYMASTER_SA_LIMIT`. */
export interface CycleLimitTerms {
  readonly type: (typeof LIMIT_SUBJECTS)[number];
  readonly cycleDuration: { readonly value: number; readonly unit: CycleUnit };
  /** A number, or decimal text where a number would lose digits. */
  readonly threshold: number | string;
  readonly thresholdType: (typeof THRESHOLD_TYPES)[number];
}

/** A `PAYMASTER_SA_LIMIT` as it is stored and shown. */
export interface CycleLimitData extends CycleLimitTerms {
  /** Start of the first window; unix milliseconds. */
  readonly startTimeInEpoch: number;
  readonly durationInMs: number;
}

/**
 * The terms with their cycle. New terms start a new cycle, now; the same terms go on in the one they have.
 *
 * @param previous the limit before, if there was one
 */
export function withCycle(terms: CycleLimitTerms, previous: CycleLimitData | undefined, nowMs: number): CycleLimitData {
  const { value, unit } = terms.cycleDuration;
  const durationInMs = value * CYCLE_UNITS[unit].ms;
  const { type, cycleDuration, threshold, thresholdType } = terms;
  const start = (startTimeInEpoch: number): CycleLimitData => ({
    type,
    startTimeInEpoch,
    durationInMs,
    cycleDuration,
    threshold,
    thresholdType,
  });
  if (!previous) return start(nowMs);
  // Later than the one before even when both are edits of one millisecond: the start names the budget.
  return isSame(terms, previous)
    ? start(previous.startTimeInEpoch)
    : start(Math.max(nowMs, previous.startTimeInEpoch + 1));
}

function isSame(one: CycleLimitTerms, other: CycleLimitTerms): boolean {
  return (
    one.type === other.type &&
    one.cycleDuration.value === other.cycleDuration.value &&
    one.cycleDuration.unit === other.cycleDuration.unit &&
    one.threshold === other.threshold &&
    one.thresholdType === other.thresholdType
  );
}
