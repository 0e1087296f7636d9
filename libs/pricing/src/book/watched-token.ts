import type { TokenListing } from '@paymaster/domain';
import { distrust, type PriceProblem } from '../sources/price-source';
import type { TokenRate } from './token-rates';
import { exchangeRate } from '../usd/exchange-rate';
import type { UsablePrice, WatchedAsset } from './watched-asset';

/** A computed rate, ready for use until its prices are too old. */
interface UsableRate {
  readonly rate: TokenRate;
  readonly validUntilMs: number;
}

/** One token of a chain: its asset, and the rate of the last refresh. */
export class WatchedToken {
  private result: UsableRate | PriceProblem = distrust('NOT_YET_READ', 'its price has not been read yet');

  constructor(
    readonly listing: TokenListing,
    readonly asset: WatchedAsset,
    /** True for a token of the operator; false for one that only owners of paymasters list. */
    readonly isOperators: boolean,
  ) {}

  /** The rate, or the reason why there is none. Reads only memory. */
  rate(nowMs: number): TokenRate | PriceProblem {
    if (!('rate' in this.result)) return this.result;
    return nowMs < this.result.validUntilMs ? this.result.rate : distrust('STALE', 'the last prices are too old');
  }

  /** Computes the rate anew. `native` is the coin's price, or the reason why no token of the chain can be priced. */
  update(native: UsablePrice | PriceProblem, nowMs: number): void {
    this.result = this.workOut(native, nowMs);
  }

  private workOut(native: UsablePrice | PriceProblem, nowMs: number): UsableRate | PriceProblem {
    if (!('usdE36' in native)) return native;
    const own = this.asset.state(nowMs);
    if (!('usdE36' in own)) return own;
    const prices = { tokenUsdE36: own.usdE36, nativeUsdE36: native.usdE36 };
    const rate = exchangeRate({ tokenDecimals: this.listing.decimals, ...prices });
    if (rate === undefined) return distrust('RATE_OUT_OF_RANGE', 'its rate does not fit 192 bits');
    return { rate: { exchangeRate: rate, ...prices }, validUntilMs: Math.min(own.validUntilMs, native.validUntilMs) };
  }
}
