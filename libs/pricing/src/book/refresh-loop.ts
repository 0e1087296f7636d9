/**
 * Runs one piece of work over and over: the next run begins `intervalMs` after the last run ended, never two at once.
 * Its timers keep no process alive.
 */
export class RefreshLoop {
  private timer: NodeJS.Timeout | undefined;
  private flight: Promise<void> | undefined;
  private running = false;

  /** @param work never rejects */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  get isRunning(): boolean {
    return this.running;
  }

  /** Runs once, then repeats in the background until {@link stop}. */
  async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    await this.runNow();
    this.schedule();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /** Runs now, or joins the run that is under way. */
  runNow(): Promise<void> {
    this.flight ??= this.work().finally(() => (this.flight = undefined));
    return this.flight;
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.running) return;
    this.timer = setTimeout(() => void this.runNow().finally(() => this.schedule()), this.intervalMs);
    this.timer.unref();
  }
}
