import { RequestTimedOutError } from '@paymaster/domain';
import { DEFAULT_DEADLINES } from '../../platform/config/deadlines';
import { overloaded } from '../../platform/errors/overloaded';

/** The most requests under way: with more, one process cannot answer all in time, whatever they wait for. */
const MOST_AT_ONCE = 2_000;
/** How often the process looks for late requests; milliseconds. */
const LOOK_MS = 250;
/**
 * Requests that arrived while the process stood still are normally read within this many looks. If reading them takes
 * longer, {@link RequestsUnderWay.wake} notices it.
 */
const WAKING_LOOKS = 4;

/**
 * The requests that this process is answering. Each is answered by its deadline. A request for which there is no time
 * is refused before any work is done for it.
 *
 * Time is counted in looks (ticks of a timer), not by the clock. So a process that is stopped for a moment still
 * answers its requests, although they are late. A process that was stopped for longer than clients wait answers none of
 * them. It also refuses the requests that arrived meanwhile, which it reads one by one when it runs again, until it has
 * read all of them.
 */
export class RequestsUnderWay<Request extends object> {
  /** The look at which each request is late; the oldest request first. */
  private readonly lateAt = new Map<Request, number>();
  private readonly deadlineLooks: number;
  private looks = 0;
  private lookedMs = performance.now();
  /** A request that is read before this look may have arrived while the process stood still. */
  private awakeAtLook = 0;
  private latestAwakeAtLook = 0;
  private refusedWhileWaking = 0;
  private readonly timer: NodeJS.Timeout;

  /** @param onLate answers a request whose work did not finish in time */
  constructor(
    private readonly onLate: (request: Request, error: Error) => void,
    private readonly deadlineMs = DEFAULT_DEADLINES.requestMs,
  ) {
    this.deadlineLooks = Math.ceil(deadlineMs / LOOK_MS);
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /**
   * Guards the work on a request that was just read.
   *
   * @throws {DependencyUnavailableError} reason OVERLOADED, when too many requests are under way, or when this process
   *   stood still for so long that clients may have given up
   */
  assertRoom(): void {
    const isAwake = this.looks >= this.awakeAtLook && !this.stoodStill();
    if (isAwake && this.lateAt.size < MOST_AT_ONCE) return;
    if (!isAwake) this.refusedWhileWaking += 1;
    throw overloaded();
  }

  /**
   * Starts the time of a request; call it when the request is complete.
   *
   * @returns the deadline, which the request's work has to keep; milliseconds of the monotonic clock, never after the
   *   look that finds the request late
   * @throws what {@link assertRoom} throws
   */
  begin(request: Request): number {
    this.assertRoom();
    this.lateAt.set(request, this.looks + this.deadlineLooks);
    return this.lookedMs + this.deadlineLooks * LOOK_MS;
  }

  /** @returns false when the request was late and has been answered already */
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

  /**
   * The process is awake again when a look finds that nothing was refused since the last look; or when refusing has
   * lasted so long that the requests cannot be old any more.
   */
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
