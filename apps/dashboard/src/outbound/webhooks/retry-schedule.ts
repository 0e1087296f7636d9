const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses before the second and further attempts; after the last one a delivery is dead. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
];

/**
 * How long to wait after an attempt that failed, or undefined when it was the last one. Up to a fifth is added at
 * random, so that what failed together does not come back together.
 */
export function retryPauseMs(attempts: number, random: () => number = Math.random): number | undefined {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (1 + random() / 5));
}
