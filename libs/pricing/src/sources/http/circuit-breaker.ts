import type { MonotonicClock } from '../clock';

export interface CircuitBreakerSettings {
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** How long no request is sent then. */
  readonly openSeconds: number;
}

/**
 * Spares an API that has just failed several times in a row, and its rate limit. After the pause it is tried again,
 * and one more failure is a new pause.
 */
export class CircuitBreaker {
  private failures = 0;
  private pausedUntilMs = -Infinity;

  constructor(
    private readonly settings: CircuitBreakerSettings,
    private readonly clock: MonotonicClock,
  ) {}

  get isOpen(): boolean {
    return this.clock() < this.pausedUntilMs;
  }

  succeeded(): void {
    this.failures = 0;
  }

  failed(): void {
    this.failures += 1;
    if (this.failures >= this.settings.failureThreshold)
      this.pausedUntilMs = this.clock() + this.settings.openSeconds * 1_000;
  }
}
