import { DependencyUnavailableError } from '@paymaster/domain';

/** How long a whole request may take; milliseconds. What it asks of others has shorter deadlines of its own. */
export const REQUEST_DEADLINE_MS = 5_000;
/** More than this are not answered in time by one process, whatever they wait for. */
const MOST_AT_ONCE = 2_000;
/** How often late ones are looked for; milliseconds. */
const LOOK_MS = 250;

/**
 * The requests of this process that are being answered. Each is answered by its deadline, and one that there is no time
 * for is refused before any work is done for it.
 *
 * Time counts in looks, not by the clock: a process that is stopped for a moment is late with all of its requests, and
 * answers them all the same.
 */
export class RequestsUnderWay<Request extends object> {
  /** By the look at which they are late, the oldest first. */
  private readonly lateAt = new Map<Request, number>();
  private readonly deadlineLooks: number;
  private looks = 0;
  private lookedMs = performance.now();
  private readonly timer: NodeJS.Timeout;

  /** @param onLate answers a request in place of whoever should have */
  constructor(
    private readonly onLate: (request: Request, error: Error) => void,
    private readonly deadlineMs = REQUEST_DEADLINE_MS,
  ) {
    this.deadlineLooks = Math.ceil(deadlineMs / LOOK_MS);
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /**
   * Guards the work on a request that was just read.
   *
   * @throws {DependencyUnavailableError} reason OVERLOADED, when there are too many, or when this process stood still
   *   for so long that those who ask may have given up
   */
  assertRoom(): void {
    if (this.lateAt.size < MOST_AT_ONCE && performance.now() - this.lookedMs < this.deadlineMs) return;
    throw new DependencyUnavailableError('gateway', 'More is asked than can be answered in time.', {
      reason: 'OVERLOADED',
      retryAfterSeconds: 1,
    });
  }

  begin(request: Request): void {
    this.lateAt.set(request, this.looks + this.deadlineLooks);
  }

  /** @returns false when it was late, and is answered already */
  end(request: Request): boolean {
    return this.lateAt.delete(request);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    this.lookedMs = performance.now();
    this.looks += 1;
    for (const [request, lateAt] of this.lateAt) {
      if (lateAt > this.looks) return;
      this.lateAt.delete(request);
      this.onLate(request, tooLate());
    }
  }
}

function tooLate(): Error {
  return new DependencyUnavailableError('gateway', 'The request took too long; nothing was signed for you.', {
    reason: 'REQUEST_TIMED_OUT',
  });
}
