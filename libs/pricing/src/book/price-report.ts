import type { Address } from '@paymaster/domain';
import type { PriceSource } from '../sources/price-source';
import type { WatchedAsset } from './watched-asset';
import type { WatchedToken } from './watched-token';

/** One price of the operator's. */
export interface PriceView {
  /** A token of the chain's list, or null for the native coin. */
  readonly token: { readonly address: Address; readonly symbol: string } | null;
  /** Whether operations can be priced in it now. */
  readonly isUsable: boolean;
  /** How old the last price that was believed is; undefined before the first. */
  readonly ageSeconds: number | undefined;
}

/** One source of the operator's prices. */
export interface SourceView {
  /** Safe to show: `feed`, `fixed`, or the host of an API. */
  readonly source: string;
  /** Prices that it did not count for in their last reading: no answer, too old, or too far from the others. */
  readonly leftOut: number;
}

/** For metrics: the operator's prices and their sources, a set that no owner can add to. */
export interface PriceReport {
  readonly prices: readonly PriceView[];
  /** Those that a price of the operator's names. */
  readonly sources: readonly SourceView[];
}

export function priceViews(tokens: readonly WatchedToken[], nowMs: number): PriceView[] {
  return tokens.map((token) => ({
    token: { address: token.listing.address, symbol: token.listing.symbol },
    isUsable: !('fault' in token.rate(nowMs)),
    ageSeconds: token.asset.ageSeconds(nowMs),
  }));
}

export function sourceViews(sources: readonly PriceSource[], assets: readonly WatchedAsset[]): SourceView[] {
  return sources.flatMap((source) => {
    const named = assets.filter(({ reference }) => source.covers(reference));
    const leftOut = named.filter(({ withoutSources }) => withoutSources.some((each) => each.source === source.name));
    return named.length === 0 ? [] : [{ source: source.name, leftOut: leftOut.length }];
  });
}
