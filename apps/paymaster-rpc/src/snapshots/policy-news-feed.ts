import type { PolicyChangedEvent, PolicyClient } from '@paymaster/messaging';
import type { Copy } from './policy-copies';

/** How often the dashboard is asked; milliseconds. */
const EVERY_MS = 2_000;
/** After a longer time without an answer, copies have to be confirmed one by one again; milliseconds. */
const LONGEST_GAP_MS = 10_000;

/**
 * Confirms all copies at once: asks the dashboard every two seconds which policies changed since it was asked last. What
 * the answer does not name is unchanged. The database numbers the changes in the order of their commits, so the answers
 * have a gap only where the dashboard says so, or where it did not answer for long. A copy from before a gap has to be
 * confirmed by itself once.
 */
export class PolicyNewsFeed {
  /** Of the last change that this gateway knows of. */
  private number: number | undefined;
  /** A copy that was confirmed at this time or later missed no change; milliseconds of the monotonic clock. */
  private withoutGapSinceMs = Infinity;
  /** When the last question with an answer was asked; milliseconds of the monotonic clock. */
  private heardAtMs = -Infinity;
  /** The same two before the last gap: what was confirmed then stays so, and grows old from there. */
  private before = { withoutGapSinceMs: Infinity, heardAtMs: -Infinity };
  private isAsking = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: Pick<PolicyClient, 'news'>,
    private readonly options: {
      readonly onChange: (event: PolicyChangedEvent) => void;
      /** For how long news confirm a copy about which nobody asked: what a database lost is in no news. Milliseconds. */
      readonly confirmForMs: number;
    },
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.ask(), EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** When a copy was last known to be the policy; milliseconds of the monotonic clock, as `nowMs` is. */
  confirmedAtMs({ lasting, confirmedAtMs }: Copy, nowMs: number): number {
    if (!lasting || nowMs - confirmedAtMs >= this.options.confirmForMs) return confirmedAtMs;
    if (confirmedAtMs >= this.withoutGapSinceMs) return Math.max(confirmedAtMs, this.heardAtMs);
    return confirmedAtMs >= this.before.withoutGapSinceMs
      ? Math.max(confirmedAtMs, this.before.heardAtMs)
      : confirmedAtMs;
  }

  /** Asks once, unless it waits for an answer already. Without an answer, copies grow old and are confirmed one by one. */
  async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const askedAtMs = performance.now();
    const since = askedAtMs - this.heardAtMs <= LONGEST_GAP_MS ? this.number : undefined;
    try {
      const { number, changed } = await this.client.news(since);
      if (!changed) {
        this.before = { withoutGapSinceMs: this.withoutGapSinceMs, heardAtMs: this.heardAtMs };
        this.withoutGapSinceMs = performance.now();
      }
      changed?.forEach((event) => this.options.onChange(event));
      this.number = number;
      this.heardAtMs = askedAtMs;
    } catch {
      // The dashboard is away, or of a version that knows no such question.
    } finally {
      this.isAsking = false;
    }
  }
}
