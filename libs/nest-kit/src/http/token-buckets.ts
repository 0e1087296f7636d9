import { LRUCache } from 'lru-cache';
import { UnreportedCounts, type ReportedCount } from './unreported-counts';

interface Bucket extends ReportedCount {
  /** Below 0 when the processes together let through more than the bucket held; the refill pays this debt. */
  tokens: number;
  filledAtMs: number;
}

/**
 * The most keys that are remembered, so that strangers can't use up memory; the least recently used key is forgotten
 * first.
 */
const MAX_BUCKETS = 100_000;

export interface TokenBucketOptions {
  /** Tokens that flow into each bucket per second; above 0. */
  readonly perSecond: number;
  /** Tokens of a full bucket: what may be spent at once. */
  readonly capacity: number;
  readonly maxBuckets?: number;
  /** Whether other processes are told what was taken, through {@link TokenBuckets.drain}. */
  readonly shared?: boolean;
  readonly nowMs?: () => number;
}

/**
 * Token buckets by key. They belong to one process, unless they are `shared`: then other processes learn what was
 * taken. Bounded in memory and without timers: a bucket is brought up to date when it is used.
 */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;
  private readonly nowMs: () => number;
  private readonly unreported = new UnreportedCounts();

  constructor(private readonly options: TokenBucketOptions) {
    // Bounded by size and not by `max`, because the cache would allocate memory for `max` entries at the start.
    this.buckets = new LRUCache({ maxSize: options.maxBuckets ?? MAX_BUCKETS, sizeCalculation: () => 1 });
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.buckets.size;
  }

  /**
   * Takes `weight` tokens from the key's bucket.
   *
   * @returns 0; or, when the bucket holds fewer, the whole seconds until it holds enough: then nothing is taken
   */
  take(key: string, weight = 1): number {
    const bucket = this.upToDate(key);
    if (bucket.tokens < weight) return Math.max(1, Math.ceil((weight - bucket.tokens) / this.options.perSecond));
    bucket.tokens -= weight;
    if (this.options.shared) this.unreported.note(bucket, weight);
    return 0;
  }

  /** The tokens in the key's bucket; below 0 when the processes together let through more than it held. */
  left(key: string): number {
    return this.upToDate(key).tokens;
  }

  /** Puts tokens back when it turns out that another key has to pay. */
  giveBack(key: string, weight = 1): void {
    const bucket = this.buckets.peek(key);
    if (!bucket) return;
    bucket.tokens = Math.min(this.options.capacity, bucket.tokens + weight);
    // Other processes have already taken tokens that were reported; their buckets refill with time.
    bucket.unreported = Math.max(0, bucket.unreported - weight);
  }

  /**
   * Takes what another process let through. A bucket owes a full bucket at most, so that a client that sent too much
   * waits at most twice the time that a full bucket takes to fill.
   */
  takeElsewhere(key: string, tokens: number): void {
    const bucket = this.upToDate(key);
    bucket.tokens = Math.max(-this.options.capacity, bucket.tokens - tokens);
  }

  /** The tokens taken here since the last call, of at most this many keys; the others come next time. */
  drain(maxKeys: number): Array<readonly [key: string, tokens: number]> {
    return this.unreported.drain(maxKeys);
  }

  private upToDate(key: string): Bucket {
    const { perSecond, capacity } = this.options;
    const nowMs = this.nowMs();
    let bucket = this.buckets.get(key);
    if (!bucket) {
      bucket = { key, tokens: capacity, filledAtMs: nowMs, unreported: 0 };
      this.buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1_000) * perSecond);
    bucket.filledAtMs = nowMs;
    return bucket;
  }
}
