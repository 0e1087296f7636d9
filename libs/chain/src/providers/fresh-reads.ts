import { LRUCache } from 'lru-cache';
import { monotonicClock, type MonotonicClock } from './monotonic-clock';

interface Read<V> {
  readonly startedAtMs: number;
  readonly value: Promise<V>;
}

/**
 * Remembers reads of a chain for a short time. Age counts from the moment a read began, so a value is never older
 * than `maxAgeMs` plus the read itself; those who ask meanwhile share one read; a failed read is forgotten.
 */
export class FreshReads<V> {
  private readonly reads: LRUCache<string, Read<V>>;
  private readonly maxAgeMs: number;
  private readonly clock: MonotonicClock;

  constructor(options: { maxAgeMs: number; maxEntries: number; clock?: MonotonicClock }) {
    this.reads = new LRUCache({ max: options.maxEntries });
    this.maxAgeMs = options.maxAgeMs;
    this.clock = options.clock ?? monotonicClock;
  }

  get(key: string, read: () => Promise<V>): Promise<V> {
    const known = this.reads.get(key);
    if (known && this.clock() - known.startedAtMs < this.maxAgeMs) return known.value;
    const fresh: Read<V> = { startedAtMs: this.clock(), value: read() };
    this.reads.set(key, fresh);
    fresh.value.catch(() => {
      if (this.reads.peek(key) === fresh) this.reads.delete(key);
    });
    return fresh.value;
  }
}
