export interface CallGateOptions {
  /** The most calls under way at once, while "too many requests" is not answered. */
  readonly most: number;
  /** The most calls that wait; unbounded by default. */
  readonly mostWaiting?: number;
  /** The error of a call that gets no turn. */
  readonly busy?: (why: string) => Error;
}

/**
 * Limits the calls to a server at once: half as many after each "too many requests", a little more with each answer.
 * So a server with a quota is asked at the pace of the quota, and calls are not wasted.
 */
export class CallGate {
  private limit: number;
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: CallGateOptions) {
    this.limit = options.most;
  }

  get isIdle(): boolean {
    return this.running === 0;
  }

  get atOnce(): number {
    return Math.floor(this.limit);
  }

  /**
   * Waits for a turn, which {@link leave} ends.
   *
   * @throws what `busy` makes, when too many wait already or the signal came first
   */
  enter(signal?: AbortSignal): Promise<void> | void {
    if (this.running < this.atOnce) {
      this.running += 1;
      return;
    }
    const { mostWaiting = Infinity, busy = Error } = this.options;
    if (this.waiting.size >= mostWaiting) throw busy(`${mostWaiting} requests wait already`);
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        signal?.removeEventListener('abort', tooLate);
        resolve();
      };
      const tooLate = (): void => {
        this.waiting.delete(turn);
        reject(busy('no turn in time'));
      };
      signal?.addEventListener('abort', tooLate, { once: true });
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

  refused(): void {
    this.limit = Math.max(1, this.limit / 2);
  }

  answered(): void {
    this.limit = Math.min(this.options.most, this.limit + 1 / this.limit);
  }
}
