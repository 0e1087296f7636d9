/** Questions that wait. More could not be answered before whoever asked gives up. */
const MOST_WAITING = 1_000;

interface Waiting {
  readonly untilMs: number;
  readonly take: (isTurn: boolean) => void;
}

export interface QuestionTurnsOptions {
  /** Questions that are answered at a time: as many as there are connections to the database. */
  readonly most: number;
  readonly mostWaiting?: number;
  /** Hears of each question that is dropped. */
  readonly onDropped: () => void;
}

/**
 * Turns of the gateways' questions at the database. A question waits here, where it can be found out of date, and not
 * for a connection. The newest has the next turn, and of too many the oldest is dropped: who floods this keeps others
 * out for no longer than the flood lasts, because a gateway that still waits has asked again meanwhile.
 */
export class QuestionTurns {
  private running = 0;
  /** The newest is the last. */
  private readonly waiting: Waiting[] = [];

  constructor(private readonly options: QuestionTurnsOptions) {}

  /**
   * Does the work when its turn comes; a question that is dropped gets none.
   *
   * @param untilMs when whoever asked gives up; milliseconds of the monotonic clock
   */
  async answer(untilMs: number, work: () => Promise<unknown>): Promise<void> {
    const { most, onDropped } = this.options;
    if (this.running < most) this.running += 1;
    else if (!(await this.turn(untilMs))) return onDropped();
    try {
      await work();
    } finally {
      this.next();
    }
  }

  /** @returns whether it came */
  private turn(untilMs: number): Promise<boolean> {
    const { waiting } = this;
    if (waiting.length >= (this.options.mostWaiting ?? MOST_WAITING)) waiting.shift()?.take(false);
    return new Promise((resolve) => waiting.push({ untilMs, take: resolve }));
  }

  /** Hands the turn to the newest that is still waited for. */
  private next(): void {
    const nowMs = performance.now();
    for (let newest = this.waiting.pop(); newest; newest = this.waiting.pop()) {
      const isWaitedFor = nowMs < newest.untilMs;
      newest.take(isWaitedFor);
      if (isWaitedFor) return;
    }
    this.running -= 1;
  }
}
