import type { LimitPercent } from './alert';

/** How high something stands that an alert is about. */
export interface Level {
  /** What it has reached; 0: nothing that anybody is told of. */
  readonly reached: number;
  /** What it would have to fall below to be told again: it swings around a bound without a message each time. */
  readonly held: number;
}

/** A wallet has to be a tenth above its bound again. */
const REFILLED_PERCENT = 110n;
/** The use of a limit has to fall by that much; percent of the limit. */
const FALLEN_PERCENT = 10;

const isOn = (is: boolean): number => (is ? 1 : 0);

/** Of something that is so or not. */
export const levelOf = (is: boolean): Level => ({ reached: isOn(is), held: isOn(is) });

/** Of a wallet's deposit; wei. */
export function walletLevel(spendableWei: bigint, belowWei: bigint): Level {
  return {
    reached: isOn(spendableWei < belowWei),
    held: isOn(spendableWei * 100n < belowWei * REFILLED_PERCENT),
  };
}

/** Of a limit; the level is the highest percentage that is used. */
export function limitLevel(used: bigint, amount: bigint, percents: readonly LimitPercent[]): Level {
  const percent = amount === 0n ? 100 : Number((used * 100n) / amount);
  const highest = (most: number): number => Math.max(0, ...percents.filter((each) => each <= most));
  return { reached: highest(percent), held: highest(percent + FALLEN_PERCENT) };
}

/** Operations of a time: those that were refused, and all. */
export interface Refusals {
  readonly refused: number;
  readonly all: number;
}

/** Fewer refusals in an hour are no wave. */
const MIN_REFUSED = 20;
/** The share of refused operations has grown by that much, and has come back to half of it. */
const RISE = 0.1;
/** Standard errors: by chance it happens in one of some 700 hours in which nothing has changed. */
const MIN_SIGMAS = 3;

/** What is taken for known of a paymaster without a past: one of ten is refused. */
const withoutPast = ({ refused, all }: Refusals): Refusals => ({ refused: refused + 1, all: all + 10 });

/**
 * Whether refusals rise: at least 20 in the last hour, their share at least 10 points above that of the 24 hours
 * before, and so far above it that chance does not explain it (two proportions, three standard errors). It has passed
 * when fewer than half of these 20 are refused or the share is within 5 points again.
 */
export function refusalsLevel(lastHour: Refusals, dayBefore: Refusals): Level {
  const before = withoutPast(dayBefore);
  if (lastHour.all === 0) return levelOf(false);
  const rise = lastHour.refused / lastHour.all - before.refused / before.all;
  const pooled = (lastHour.refused + before.refused) / (lastHour.all + before.all);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / lastHour.all + 1 / before.all));
  return {
    reached: isOn(lastHour.refused >= MIN_REFUSED && rise >= RISE && rise >= MIN_SIGMAS * error),
    held: isOn(lastHour.refused >= MIN_REFUSED / 2 && rise >= RISE / 2),
  };
}

/** The share of a whole in percent, for people. */
export const percentOf = ({ refused, all }: Refusals): number => (all === 0 ? 0 : Math.round((refused * 100) / all));
