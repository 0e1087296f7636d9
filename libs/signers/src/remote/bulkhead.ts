import { CallGate, monotonicClock } from '@paymaster/turns';
import { SignerError } from '../signer/signer-error';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * The gate of one signer, which also pauses after each "too many requests"; the pause doubles. So a slow signer delays
 * only its own requests.
 */
export class Bulkhead extends CallGate {
  private pauseMs = FIRST_PAUSE_MS;
  private pausedUntil = Number.NEGATIVE_INFINITY;

  constructor() {
    super({ most: 64, mostWaiting: 512, busy: (why) => new SignerError('busy', why) });
  }

  /** Milliseconds until the signer may be asked again after it was throttled; 0 when it may now. */
  get pausedForMs(): number {
    return Math.max(0, this.pausedUntil - monotonicClock());
  }

  override refused(): void {
    // One pause for all calls that were under way together.
    if (this.pausedForMs > 0) return;
    super.refused();
    this.pausedUntil = monotonicClock() + this.pauseMs;
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs * 2);
  }

  override answered(): void {
    super.answered();
    if (this.pausedForMs === 0) this.pauseMs = FIRST_PAUSE_MS;
  }
}
