import { TokenBuckets } from '@paymaster/nest-kit';
import { RateLimitedError } from '../json-rpc/errors';

/** Seconds of the allowance that may be spent at once. */
const BURST_SECONDS = 2;
/** A batch of the largest size always fits into a full bucket. */
const MIN_BURST = 20;

/**
 * The rate limit per API key, in this process only: N processes let through N times the limit (docs, "Rate limit").
 * It protects the process; budgets are the ledger's business.
 */
export class RateLimiter {
  private readonly buckets: TokenBuckets | undefined;

  /** @param perSecond 0 means no limit */
  constructor(perSecond: number) {
    if (perSecond === 0) return;
    this.buckets = new TokenBuckets({ perSecond, capacity: Math.max(perSecond * BURST_SECONDS, MIN_BURST) });
  }

  /**
   * Takes `weight` tokens from the key's bucket.
   *
   * @throws {RateLimitedError} when it holds fewer; nothing is taken then
   */
  take(key: string, weight: number): void {
    const waitSeconds = this.buckets?.take(key, weight) ?? 0;
    if (waitSeconds === 0) return;
    throw new RateLimitedError('This API key sends more requests than allowed; wait and send again.', waitSeconds);
  }
}
