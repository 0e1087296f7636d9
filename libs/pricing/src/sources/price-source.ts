import type { PriceReference } from '@paymaster/domain';
import type { PriceFault } from './price-unavailable.error';

/** What a source says an asset is worth. */
export interface Price {
  /** USD per whole unit, times 1e36. */
  readonly usdE36: bigint;
  /** How old the price was, by the source's own time, when it was read. Zero where the source vouches for it. */
  readonly ageSeconds: number;
  /** How long from the reading on the source vouches for it; a feed until its heartbeat and grace are over. */
  readonly validForSeconds: number;
  /** Sources that were asked and did not count, with the reason. */
  readonly without?: readonly SourceProblem[];
}

/** Why a source has no price for an asset. */
export interface PriceProblem {
  readonly fault: PriceFault;
  /** For operators and logs: names hosts and feeds, never a URL or a key. */
  readonly message: string;
  /**
   * True when nothing was learnt about the price, because the source could not be asked or did not answer: the last
   * price stays good until it is too old. False when the price itself is not to be believed: quotes stop at once.
   */
  readonly outage: boolean;
  /** Where several sources were asked: what was wrong with each. */
  readonly without?: readonly SourceProblem[];
}

/** A problem and whose it is. */
export interface SourceProblem extends Omit<PriceProblem, 'without'> {
  readonly source: string;
}

export type PriceAnswer = Price | PriceProblem;

export const isPrice = (answer: PriceAnswer): answer is Price => 'usdE36' in answer;

/**
 * Who named the assets of a round: the operator, or owners of paymasters, who may name anything. A source that is
 * shared keeps what it spends on owners, and what fails for them, apart.
 */
export type PriceRound = 'operator' | 'owners';

/**
 * Where prices come from. Sources are small and composed: a reader (feed, HTTP API, fixed price) inside decorators
 * (cache, fallback, quorum).
 */
export interface PriceSource {
  /** Short and safe to log. */
  readonly name: string;
  /** Whether the reference names something this source reads. It is asked only then. */
  covers(asset: PriceReference): boolean;
  /**
   * One answer per asset, in their order. Never rejects: whatever goes wrong is the fault of each asset it hits.
   *
   * @param round `operator` when left out
   */
  read(assets: readonly PriceReference[], round?: PriceRound): Promise<readonly PriceAnswer[]>;
}

/** Nothing was learnt: the source is down, slow, or talks nonsense. */
export function outage(message: string): PriceProblem {
  return { fault: 'SOURCE_FAILED', message, outage: true };
}

/** The price is known not to be good. */
export function distrust(fault: PriceFault, message: string): PriceProblem {
  return { fault, message, outage: false };
}

const keys = new WeakMap<PriceReference, string>();

/** What makes two assets one: the same references. Such an asset is read once, whatever tokens it stands for. */
export function assetKey(asset: PriceReference): string {
  const known = keys.get(asset);
  if (known !== undefined) return known;
  const key = JSON.stringify([asset.feed?.address, asset.feed?.heartbeatSeconds, asset.apiId, asset.fixedUsd]);
  keys.set(asset, key);
  return key;
}
