import type { Address } from '@paymaster/domain';
import type { PriceProblem, PriceSource } from '../sources/price-source';
import type { UsablePrice, WatchedAsset } from './watched-asset';
import type { WatchedToken } from './watched-token';

/** A price of the operator. */
export interface PriceView {
  /** A token of the chain's list, or null for the native coin. */
  readonly token: { readonly address: Address; readonly symbol: string } | null;
  /** Whether operations can be priced in it now. */
  readonly isUsable: boolean;
  /** Age of the last accepted price; undefined before the first. */
  readonly ageSeconds: number | undefined;
}

/** One price and where it comes from, for the owner of a paymaster. */
export interface PriceLook {
  /** Null while there is no price that can be believed. */
  readonly usdE36: bigint | null;
  /** Why there is no price; null if there is a price. */
  readonly problem: string | null;
  /** Null before the first reading. */
  readonly ageSeconds: number | null;
  /** Safe to show: `feed`, `fixed`, or the host of an API. */
  readonly sources: readonly string[];
  /** Sources that did not count in the last reading. */
  readonly leftOut: readonly string[];
}

/** One source of the operator's prices. */
export interface SourceView {
  /** Safe to show: `feed`, `fixed`, or the host of an API. */
  readonly source: string;
  /** Prices for which it did not count at their last reading: no answer, too old, or too far from the others. */
  readonly leftOut: number;
}

/** For metrics: the operator's prices and their sources. Owners cannot add series. */
export interface PriceReport {
  readonly prices: readonly PriceView[];
  /** The sources that the operator's prices name. */
  readonly sources: readonly SourceView[];
}

export function priceViews(tokens: readonly WatchedToken[], nowMs: number): PriceView[] {
  return tokens.map((token) => ({
    token: { address: token.listing.address, symbol: token.listing.symbol },
    isUsable: !('fault' in token.rate(nowMs)),
    ageSeconds: token.asset.ageSeconds(nowMs),
  }));
}

export function lookAt(
  asset: WatchedAsset,
  { state, sources, nowMs }: { state: UsablePrice | PriceProblem; sources: readonly PriceSource[]; nowMs: number },
): PriceLook {
  return {
    ...('usdE36' in state ? { usdE36: state.usdE36, problem: null } : { usdE36: null, problem: state.message }),
    ageSeconds: asset.ageSeconds(nowMs) ?? null,
    sources: sources.filter((source) => source.covers(asset.reference)).map(({ name }) => name),
    leftOut: asset.withoutSources.map(({ source }) => source),
  };
}

export function sourceViews(sources: readonly PriceSource[], assets: readonly WatchedAsset[]): SourceView[] {
  return sources.flatMap((source) => {
    const named = assets.filter(({ reference }) => source.covers(reference));
    const leftOut = named.filter(({ withoutSources }) => withoutSources.some((each) => each.source === source.name));
    return named.length === 0 ? [] : [{ source: source.name, leftOut: leftOut.length }];
  });
}
