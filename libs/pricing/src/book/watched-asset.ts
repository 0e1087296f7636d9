import type { PriceReference } from '@paymaster/domain';
import { distrust, isPrice, type PriceAnswer, type PriceProblem, type SourceProblem } from '../sources/price-source';
import { formatUsd, isPlausibleUsd } from '../usd/usd-price';
import type { JumpGuard } from './jump-guard';

/** A price that may be used until a moment of the monotonic clock. */
export interface UsablePrice {
  readonly usdE36: bigint;
  readonly validUntilMs: number;
}

const NOT_YET_READ = distrust('NOT_YET_READ', 'its price has not been read yet');

/** The state of one asset: its last usable price, and the result of its last reading. */
export class WatchedAsset {
  private price: UsablePrice | undefined;
  private lastProblem: PriceProblem | undefined = NOT_YET_READ;
  private lastReadAtMs = -Infinity;
  private datedAtMs: number | undefined;
  /** Sources that did not count in the last reading, whether there was a price or not. */
  withoutSources: readonly SourceProblem[] = [];
  /** Whether it was ever read; a new asset need not wait for the next round. */
  isAskedFor = false;

  constructor(
    readonly reference: PriceReference,
    private readonly guard: JumpGuard,
    private readonly maxAgeSeconds: number,
  ) {}

  /** The usable price, or the reason why there is none. */
  state(nowMs: number): UsablePrice | PriceProblem {
    if (this.price && nowMs < this.price.validUntilMs) return this.price;
    return this.lastProblem ?? distrust('STALE', `its price is older than ${this.maxAgeSeconds} s`);
  }

  /** Age of the last accepted price, whether it may still be used or not; undefined before the first. */
  ageSeconds(nowMs: number): number | undefined {
    return this.datedAtMs === undefined ? undefined : (nowMs - this.datedAtMs) / 1_000;
  }

  /**
   * Stores the result of a reading. Age counts from the start of the reading; a reading that was overtaken is ignored.
   */
  take(answer: PriceAnswer, readAtMs: number): void {
    if (readAtMs < this.lastReadAtMs) return;
    this.lastReadAtMs = readAtMs;
    this.withoutSources = answer.without ?? [];
    const judged = isPrice(answer) ? this.judge(answer, readAtMs) : answer;
    if (isPrice(answer) && 'validUntilMs' in judged) this.datedAtMs = readAtMs - answer.ageSeconds * 1_000;
    if ('validUntilMs' in judged) {
      this.price = judged;
      this.lastProblem = undefined;
    } else {
      this.lastProblem = judged;
      // An outage does not make the known price wrong, so that price stays in use until it is too old.
      if (!judged.outage) this.price = undefined;
    }
  }

  private judge(
    price: { usdE36: bigint; ageSeconds: number; validForSeconds: number },
    readAtMs: number,
  ): UsablePrice | PriceProblem {
    if (price.usdE36 <= 0n) return distrust('NOT_POSITIVE', 'its price is not above zero');
    if (!isPlausibleUsd(price.usdE36))
      return distrust('RATE_OUT_OF_RANGE', 'its price is not within 1e-18 and 1e18 USD');
    const usableSeconds = Math.min(this.maxAgeSeconds - price.ageSeconds, price.validForSeconds);
    if (usableSeconds <= 0) return distrust('STALE', `its price is older than ${this.maxAgeSeconds} s`);
    if (!this.guard.accepts(price.usdE36))
      return distrust('JUMPED', `its price jumped to ${formatUsd(price.usdE36)} USD, to be confirmed`);
    return { usdE36: price.usdE36, validUntilMs: readAtMs + usableSeconds * 1_000 };
  }
}
