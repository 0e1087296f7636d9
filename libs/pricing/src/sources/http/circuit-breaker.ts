import type { MonotonicClock } from '../clock';

export interface CircuitBreakerSettings {
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** How long it then sends no requests. */
  readonly openSeconds: number;
}

/**
 * Pauses requests to an API that has failed several times in a row, to save its rate limit. After the pause it sends a
 * request again; if that fails, a new pause begins.
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
