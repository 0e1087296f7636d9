import { monotonicClock, type MonotonicClock } from './monotonic-clock';

export interface CircuitBreakerSettings {
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** How long it stays open before one call may try again. */
  readonly openMs: number;
}

export const DEFAULT_CIRCUIT_BREAKER: CircuitBreakerSettings = { failureThreshold: 5, openMs: 10_000 };

/**
 * Keeps callers from waiting on an upstream that has just failed several times in a row. After `openMs` one call
 * is let through: its outcome closes the breaker or opens it again.
 */
export class CircuitBreaker {
  private failures = 0;
  private opensAgainAt = 0;

  constructor(
    private readonly settings: CircuitBreakerSettings = DEFAULT_CIRCUIT_BREAKER,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {}

  get isOpen(): boolean {
    return this.failures >= this.settings.failureThreshold && this.clock() < this.opensAgainAt;
  }

  /** True when a call may go out now. While half open, the first asker takes the one trial. */
  tryAcquire(): boolean {
    if (this.failures < this.settings.failureThreshold) return true;
    if (this.clock() < this.opensAgainAt) return false;
    this.opensAgainAt = this.clock() + this.settings.openMs;
    return true;
  }

  succeeded(): void {
    this.failures = 0;
  }

  failed(): void {
    this.failures += 1;
    if (this.failures >= this.settings.failureThreshold) this.opensAgainAt = this.clock() + this.settings.openMs;
  }
}
