/** The gateway that asked has given up: what would be read now is for nobody. */
export class NobodyWaitsError extends Error {
  constructor() {
    super('nobody waits for the answer any more');
    this.name = 'NobodyWaitsError';
  }
}

/**
 * Turns of the gateways' questions at the database, in the order in which they came. As many at once as there are
 * connections: so a question waits here, where it can be found out of date, and not for a connection.
 */
export class QuestionTurns {
  private running = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(private readonly most: number) {}

  /**
   * Answers a question when its turn comes.
   *
   * @param untilMs when whoever asked gives up; milliseconds of the monotonic clock
   * @throws {NobodyWaitsError} when that is over by then
   */
  async answer<T>(untilMs: number, work: () => Promise<T>): Promise<T> {
    if (this.running < this.most) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      if (performance.now() >= untilMs) throw new NobodyWaitsError();
      return await work();
    } finally {
      this.next();
    }
  }

  /** Whoever waits longest takes over the turn. */
  private next(): void {
    const turn = this.waiting.shift();
    if (turn) turn();
    else this.running -= 1;
  }
}
