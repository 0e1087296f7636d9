import { monotonicClock, type MonotonicClock } from '@paymaster/chain';
import { SignerError } from '../signer/signer-error';

/** Calls under way at once while the signer is not throttled. */
const MOST_AT_ONCE = 64;
/** Requests that wait for a turn; further requests would not get one in time. */
const MOST_WAITING = 512;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Limits the calls to one signer at once, and queues the rest. After each "too many requests" it allows half as many
 * calls, and none during a pause that doubles; each answer allows a little more. So a slow signer delays only its own
 * requests, and a signer with a quota is asked at the pace of the quota.
 */
export class Bulkhead {
  private limit = MOST_AT_ONCE;
  private running = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly clock: MonotonicClock = monotonicClock) {}

  /** Milliseconds until the signer may be asked again after it was throttled; 0 when it may now. */
  get pausedForMs(): number {
    return Math.max(0, this.pausedUntil - this.clock());
  }

  get isIdle(): boolean {
    return this.running === 0;
  }

  /**
   * Waits for a turn, which {@link leave} ends.
   *
   * @throws {SignerError} busy, when too many wait already or the signal came first
   */
  enter(signal: AbortSignal): Promise<void> | void {
    if (this.running < this.atOnce) {
      this.running += 1;
      return;
    }
    if (this.waiting.size >= MOST_WAITING) throw new SignerError('busy', `${MOST_WAITING} requests wait already`);
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', tooLate);
        resolve();
      };
      const tooLate = () => {
        this.waiting.delete(turn);
        reject(new SignerError('busy', 'no turn in time'));
      };
      signal.addEventListener('abort', tooLate, { once: true });
      this.waiting.add(turn);
    });
  }

  leave(): void {
    this.running -= 1;
    for (const turn of this.waiting) {
      if (this.running >= this.atOnce) return;
      this.waiting.delete(turn);
      this.running += 1;
      turn();
    }
  }

  throttled(): void {
    // One pause for all calls that were under way together.
    if (this.pausedForMs > 0) return;
    this.limit = Math.max(1, this.limit / 2);
    this.pausedUntil = this.clock() + this.pauseMs;
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs * 2);
  }

  answered(): void {
    this.limit = Math.min(MOST_AT_ONCE, this.limit + 1 / this.limit);
    if (this.pausedForMs === 0) this.pauseMs = FIRST_PAUSE_MS;
  }

  private get atOnce(): number {
    return Math.floor(this.limit);
  }
}
