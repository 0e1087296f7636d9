import { monotonicClock } from '@paymaster/chain';
import { DependencyUnavailableError, NO_DEADLINE, timeoutWithin } from '@paymaster/domain';

/** How much may run at once. */
export interface SlotBounds {
  readonly most: number;
  /** The part of `most` that one key may use, so that no key takes all. */
  readonly mostPerKey: number;
  /** How long work without a slot waits for one. */
  readonly waitMs: number;
}

interface Waiter {
  readonly key: string;
  readonly enter: () => void;
}

/**
 * Bounds how many calls of this process to a chain's nodes run at the same time. Waiting calls start in order of
 * arrival; calls of keys that use all their slots are skipped.
 */
export class SlotsPerKey {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  private readonly waiters = new Set<Waiter>();

  constructor(
    private readonly bounds: SlotBounds,
    private readonly what: string,
  ) {}

  /**
   * Runs `work` in a slot of `key`.
   *
   * @param deadlineMs of the request that asks, by the monotonic clock
   * @throws {DependencyUnavailableError} `chain`, retry after 1 s, when no slot came free in time
   * @throws {RequestTimedOutError} when the deadline is over
   */
  async run<T>(key: string, work: () => Promise<T>, deadlineMs = NO_DEADLINE): Promise<T> {
    const waitMs = timeoutWithin(deadlineMs, { boundMs: this.bounds.waitMs, nowMs: monotonicClock() });
    if (this.isFree(key)) this.take(key);
    else await this.waitFor(key, waitMs);
    try {
      return await work();
    } finally {
      this.give(key);
    }
  }

  private isFree(key: string): boolean {
    return this.taken < this.bounds.most && (this.takenBy.get(key) ?? 0) < this.bounds.mostPerKey;
  }

  private take(key: string): void {
    this.taken += 1;
    this.takenBy.set(key, (this.takenBy.get(key) ?? 0) + 1);
  }

  private give(key: string): void {
    this.taken -= 1;
    const left = (this.takenBy.get(key) ?? 1) - 1;
    if (left > 0) this.takenBy.set(key, left);
    else this.takenBy.delete(key);
    for (const waiter of this.waiters) if (this.isFree(waiter.key)) return waiter.enter();
  }

  /** Resolves with the slot taken. */
  private waitFor(key: string, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        key,
        enter: () => {
          clearTimeout(deadline);
          this.waiters.delete(waiter);
          this.take(key);
          resolve();
        },
      };
      const deadline = setTimeout(() => {
        this.waiters.delete(waiter);
        reject(new DependencyUnavailableError('chain', `too many ${this.what} at once`, { retryAfterSeconds: 1 }));
      }, waitMs);
      this.waiters.add(waiter);
    });
  }
}
