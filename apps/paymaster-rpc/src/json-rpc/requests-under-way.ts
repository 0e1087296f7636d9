import { RequestTimedOutError } from '@paymaster/domain';
import { overloaded } from '../errors/overloaded';

/** How long a whole request may take; milliseconds. What it asks of others has shorter bounds of its own. */
export const REQUEST_DEADLINE_MS = 5_000;
/** More than this are not answered in time by one process, whatever they wait for. */
const MOST_AT_ONCE = 2_000;
/** How often late ones are looked for; milliseconds. */
const LOOK_MS = 250;
/** What came while a process stood still is read within so many looks, or takes longer and is seen to come. */
const WAKING_LOOKS = 4;

/**
 * The requests of this process that are being answered. Each is answered by its deadline, and one that there is no time
 * for is refused before any work is done for it.
 *
 * Time counts in looks, not by the clock: a process that is stopped for a moment is late with all of its requests, and
 * answers them all the same. One that was stopped for longer than anybody waits answers none of them, nor what came
 * meanwhile, which it reads one by one when it goes on: it refuses all until nothing more is there.
 */
export class RequestsUnderWay<Request extends object> {
  /** By the look at which they are late, the oldest first. */
  private readonly lateAt = new Map<Request, number>();
  private readonly deadlineLooks: number;
  private looks = 0;
  private lookedMs = performance.now();
  /** What is read before this look may be from before this process went on. */
  private awakeAtLook = 0;
  private latestAwakeAtLook = 0;
  private refusedWhileWaking = 0;
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
    const isAwake = this.looks >= this.awakeAtLook && !this.stoodStill();
    if (isAwake && this.lateAt.size < MOST_AT_ONCE) return;
    if (!isAwake) this.refusedWhileWaking += 1;
    throw overloaded();
  }

  /**
   * The request is complete: now its time counts.
   *
   * @returns when it is answered at the latest, which its work has to know; milliseconds of the monotonic clock, and
   *   never after the look that finds it late
   * @throws what {@link assertRoom} throws
   */
  begin(request: Request): number {
    this.assertRoom();
    this.lateAt.set(request, this.looks + this.deadlineLooks);
    return this.lookedMs + this.deadlineLooks * LOOK_MS;
  }

  /** @returns false when it was late, and is answered already */
  end(request: Request): boolean {
    return this.lateAt.delete(request);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const stoodStill = this.stoodStill();
    this.lookedMs = performance.now();
    this.looks += 1;
    this.wake(stoodStill);
    for (const [request, lateAt] of this.lateAt) {
      if (lateAt > this.looks && !stoodStill) return;
      this.lateAt.delete(request);
      this.onLate(request, new RequestTimedOutError());
    }
  }

  /** Awake when a look finds that nothing was refused since the last one, or when that goes on for too long to be old. */
  private wake(stoodStill: boolean): void {
    if (stoodStill) {
      this.awakeAtLook = this.looks + WAKING_LOOKS;
      this.latestAwakeAtLook = this.looks + this.deadlineLooks;
    } else if (this.refusedWhileWaking > 0 && this.awakeAtLook <= this.looks && this.looks < this.latestAwakeAtLook) {
      this.awakeAtLook = this.looks + 1;
    }
    this.refusedWhileWaking = 0;
  }

  private stoodStill(): boolean {
    return performance.now() - this.lookedMs >= this.deadlineMs;
  }
}
