/** The most calls to one provider that may be under way at once, while it does not answer "too many requests". */
const MOST_CALLS = 32;

/**
 * Limits the calls to a provider at once: half as many after each "too many requests", a little more with each answer.
 * So a provider with a quota is read at the pace of the quota, and calls are not wasted.
 */
export class CallGate {
  private limit = MOST_CALLS;
  private running = 0;
  private readonly waiting: Array<() => void> = [];

  /** Waits for a turn; {@link leave} ends it. */
  async enter(): Promise<void> {
    if (this.running < this.atOnce) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    this.running -= 1;
    while (this.waiting.length > 0 && this.running < this.atOnce) {
      this.running += 1;
      this.waiting.shift()!();
    }
  }

  refused(): void {
    this.limit = Math.max(1, this.limit / 2);
  }

  answered(): void {
    this.limit = Math.min(MOST_CALLS, this.limit + 1 / this.limit);
  }

  get atOnce(): number {
    return Math.floor(this.limit);
  }
}
