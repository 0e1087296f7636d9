import { toPriceReference, type PriceReference } from '@paymaster/domain';
import type { PriceFault } from './price-unavailable.error';

/** A source's answer about an asset. */
export interface Price {
  /** USD per whole unit, times 1e36. */
  readonly usdE36: bigint;
  /**
   * How old the price was when it was read, by the source's own time; zero if the source states until when the price is
   * valid.
   */
  readonly ageSeconds: number;
  /**
   * For how many seconds after the read the price is valid, as the source itself says. A feed's price is valid until
   * the feed's heartbeat and the operator's `feedGraceSeconds` have passed.
   */
  readonly validForSeconds: number;
  /** Sources that were asked but did not count, with the reason. */
  readonly without?: readonly SourceProblem[];
}

/** Why a source has no price for an asset. */
export interface PriceProblem {
  readonly fault: PriceFault;
  /** For operators and logs: names hosts and feeds, never a URL or a key. */
  readonly message: string;
  /**
   * True when the price is not known, because the source could not be asked or did not answer: the last price stays
   * good until it is too old. False when the price itself must not be believed: quotes stop at once.
   */
  readonly outage: boolean;
  /** The problem of each source, where several were asked. */
  readonly without?: readonly SourceProblem[];
}

/** A problem and the source that has it. */
export interface SourceProblem extends Omit<PriceProblem, 'without'> {
  readonly source: string;
}

export type PriceAnswer = Price | PriceProblem;

export const isPrice = (answer: PriceAnswer): answer is Price => 'usdE36' in answer;

/**
 * Whose assets a round reads: the operator's, or those of paymaster owners, who may name anything. A source that both
 * share keeps a separate budget and separate failures for owners.
 */
export type PriceRound = 'operator' | 'owners';

/**
 * Where prices come from. Sources are small and composed: a reader (feed, HTTP API, fixed price) inside decorators
 * (cache, fallback, quorum).
 */
export interface PriceSource {
  /** Short and safe to log. */
  readonly name: string;
  /** Whether the reference names something that this source reads. Only then it is asked. */
  covers(asset: PriceReference): boolean;
  /**
   * One answer per asset, in their order. Never rejects: an error becomes the fault of each asset that it concerns.
   *
   * @param round `operator` when absent
   */
  read(assets: readonly PriceReference[], round?: PriceRound): Promise<readonly PriceAnswer[]>;
}

/** The price is not known: the source is down, slow, or answers nonsense. */
export function outage(message: string): PriceProblem {
  return { fault: 'SOURCE_FAILED', message, outage: true };
}

/** The price is known to be bad. */
export function distrust(fault: PriceFault, message: string): PriceProblem {
  return { fault, message, outage: false };
}

const keys = new WeakMap<PriceReference, string>();

/** The key of an asset: its references. An asset is read once, however many tokens have it. */
export function assetKey(asset: PriceReference): string {
  const known = keys.get(asset);
  if (known !== undefined) return known;
  const key = JSON.stringify(toPriceReference(asset));
  keys.set(asset, key);
  return key;
}
