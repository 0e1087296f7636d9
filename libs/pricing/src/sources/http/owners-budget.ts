import type { MonotonicClock } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;

/**
 * Bounds what owners' ids may cost an API whose rate limit they share with the operator's ids: this many requests a
 * minute. The ids whose last request is oldest go first, so that an owner with many ids can't block an owner with few
 * ids.
 */
export class OwnersBudget {
  private readonly lastAsked = new LRUCache<string, number>({ max: 5_000 });
  private spentAtMs: number[] = [];
  private turn = 0;

  constructor(
    private readonly requestsPerMinute: number,
    private readonly clock: MonotonicClock,
  ) {}

  /** @returns the batches that may be asked now, of up to `size` ids */
  batches(ids: readonly string[], size: number): string[][] {
    const nowMs = this.clock();
    this.spentAtMs = this.spentAtMs.filter((spentMs) => nowMs - spentMs < MINUTE_MS);
    const inTurn = [...ids].sort((a, b) => this.askedAt(a) - this.askedAt(b));
    const batches: string[][] = [];
    while (inTurn.length > 0 && this.spentAtMs.length < this.requestsPerMinute) {
      const batch = inTurn.splice(0, size);
      batches.push(batch);
      this.spentAtMs.push(nowMs);
      this.turn += 1;
      for (const id of batch) this.lastAsked.set(id, this.turn);
    }
    return batches;
  }

  private askedAt(id: string): number {
    return this.lastAsked.get(id) ?? 0;
  }
}
