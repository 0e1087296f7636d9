import { formatUsd } from '../../usd/usd-price';
import {
  distrust,
  isPrice,
  type Price,
  type PriceAnswer,
  type PriceProblem,
  type SourceProblem,
} from '../price-source';
import type { PriceFault } from '../price-unavailable.error';

/** One source's answer about an asset. */
export interface Opinion {
  readonly source: string;
  readonly answer: PriceAnswer;
}

/** When sources count. The names are those of `ChainPricing` in libs/chain. */
export interface AgreementRules {
  /** A source further than this from the median is dropped; millionths. */
  readonly maxDeviationMillionths: number;
  /** How many sources must be left; null: more than half of the sources that the reference names. */
  readonly minSources: number | null;
  /** A price older than this by its source's own time does not count; seconds. */
  readonly maxAgeSeconds: number;
}

/**
 * Makes one price of several: drops the sources that are further than the bound from the median, and returns the median
 * of the others.
 *
 * The median of two sources is in their middle. So when they are more than twice the bound apart, both are dropped,
 * because it is not known which of them is wrong.
 */
export function agree(opinions: readonly Opinion[], rules: AgreementRules): PriceAnswer {
  const judged = opinions.map((opinion) => withinAge(opinion, rules.maxAgeSeconds));
  const prices = judged.flatMap(({ source, answer }) => (isPrice(answer) ? [{ source, price: answer }] : []));
  const middle = prices.length > 0 ? median(prices.map(({ price }) => price.usdE36)) : 0n;
  const bound = middle * BigInt(rules.maxDeviationMillionths);
  const far = ({ price }: { price: Price }) => distance(price.usdE36, middle) * 1_000_000n > bound;

  const kept = prices.filter((opinion) => !far(opinion)).map(({ price }) => price);
  const dropped = prices.filter(far).map(({ source, price }): SourceProblem => ({
    source,
    ...distrust(
      'SOURCES_DISAGREE',
      `${source}: ${formatUsd(price.usdE36)} USD is too far from the median of ${formatUsd(middle)} USD`,
    ),
  }));
  const without = [...judged.flatMap(problemOf), ...dropped];

  const needed = rules.minSources ?? Math.floor(opinions.length / 2) + 1;
  if (kept.length === 0 || kept.length < needed) return noAgreement({ kept: kept.length, needed, without });
  return {
    usdE36: median(kept.map(({ usdE36 }) => usdE36)),
    ageSeconds: Math.max(...kept.map(({ ageSeconds }) => ageSeconds)),
    validForSeconds: Math.min(...kept.map(({ validForSeconds }) => validForSeconds)),
    without,
  };
}

function withinAge({ source, answer }: Opinion, maxAgeSeconds: number): Opinion {
  if (!isPrice(answer) || answer.ageSeconds <= maxAgeSeconds) return { source, answer };
  return { source, answer: distrust('STALE', `${source}: the price is older than ${maxAgeSeconds} s`) };
}

function problemOf({ source, answer }: Opinion): SourceProblem[] {
  return isPrice(answer) ? [] : [{ source, ...answer }];
}

function noAgreement(input: { kept: number; needed: number; without: readonly SourceProblem[] }): PriceProblem {
  const { kept, needed, without } = input;
  const [only] = without;
  if (!only) return distrust('TOO_FEW_SOURCES', `${kept} sources are named, ${needed} are needed`);
  // If there is only one source, its own fault is the best description.
  if (without.length === 1 && kept === 0 && needed === 1) return { ...only, without };
  return {
    fault: faultOf(input),
    message: `${kept} of the ${needed} sources needed agree: ${without.map(({ message }) => message).join('; ')}`,
    outage: without.every((problem) => problem.outage),
    without,
  };
}

/** Waiting helps only where enough sources would be left without those that do not know the asset. */
function faultOf({ kept, needed, without }: Parameters<typeof noAgreement>[0]): PriceFault {
  const known = without.filter(({ fault }) => fault !== 'API_ID_UNKNOWN');
  if (kept + known.length < needed) return 'API_ID_UNKNOWN';
  return known.some(({ fault }) => fault === 'SOURCES_DISAGREE') ? 'SOURCES_DISAGREE' : 'TOO_FEW_SOURCES';
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

/** The middle value, or the mean of the two in the middle, rounded down. Needs at least one value. */
function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = sorted[sorted.length >> 1] ?? 0n;
  const lower = sorted[(sorted.length - 1) >> 1] ?? 0n;
  return (lower + upper) / 2n;
}
