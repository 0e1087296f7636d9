import { LRUCache } from 'lru-cache';
import { RateLimitedError } from '../json-rpc/errors';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Seconds of the allowance that may be spent at once. */
const BURST_SECONDS = 2;
const MAX_BUCKETS = 100_000;

/**
 * Token buckets by key, in this process only: N processes let through N times the limit (docs, "Rate limit").
 * It protects the process; budgets are the ledger's business.
 */
export class RateLimiter {
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  /** @param perSecond 0 means no limit */
  constructor(
    private readonly perSecond: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * Takes `weight` tokens from the key's bucket.
   *
   * @throws {RateLimitedError} when it holds fewer; nothing is taken then
   */
  take(key: string, weight: number): void {
    if (this.perSecond === 0) return;
    const capacity = Math.max(this.perSecond * BURST_SECONDS, 20);
    const nowMs = this.nowMs();
    let bucket = this.buckets.get(key);
    if (!bucket) {
      bucket = { tokens: capacity, filledAtMs: nowMs };
      this.buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1_000) * this.perSecond);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < weight) {
      const waitSeconds = Math.max(1, Math.ceil((weight - bucket.tokens) / this.perSecond));
      throw new RateLimitedError('This API key sends more requests than allowed; wait and send again.', waitSeconds);
    }
    bucket.tokens -= weight;
  }
}
