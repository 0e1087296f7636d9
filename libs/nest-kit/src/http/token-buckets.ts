import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Who was heard of longest ago is forgotten first: strangers without end cost no more memory than this many. */
const MAX_BUCKETS = 100_000;

export interface TokenBucketOptions {
  /** Tokens that flow into each bucket per second; above 0. */
  readonly perSecond: number;
  /** Tokens of a full bucket: what may be spent at once. */
  readonly capacity: number;
  readonly maxBuckets?: number;
  readonly nowMs?: () => number;
}

/**
 * Token buckets by key, in this process only: N processes let through N times the limit. Bounded in memory and
 * without timers: a bucket is brought up to date when it is used.
 */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;
  private readonly nowMs: () => number;

  constructor(private readonly options: TokenBucketOptions) {
    this.buckets = new LRUCache({ max: options.maxBuckets ?? MAX_BUCKETS });
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.buckets.size;
  }

  /**
   * Takes `weight` tokens from the key's bucket.
   *
   * @returns 0, or when the bucket holds fewer, the whole seconds until it will hold them; nothing is taken then
   */
  take(key: string, weight = 1): number {
    const { perSecond, capacity } = this.options;
    const nowMs = this.nowMs();
    let bucket = this.buckets.get(key);
    if (!bucket) {
      bucket = { tokens: capacity, filledAtMs: nowMs };
      this.buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1_000) * perSecond);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < weight) return Math.max(1, Math.ceil((weight - bucket.tokens) / perSecond));
    bucket.tokens -= weight;
    return 0;
  }

  /** Puts tokens back that were taken for what turned out to be another's to pay. */
  giveBack(key: string, weight = 1): void {
    const bucket = this.buckets.peek(key);
    if (bucket) bucket.tokens = Math.min(this.options.capacity, bucket.tokens + weight);
  }
}
