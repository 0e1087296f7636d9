/** An age is remembered for so long at least, and twice as long at most; milliseconds. */
const WINDOW_MS = 60_000;

/**
 * The highest age of the copies that answered requests in the last one to two minutes. Reading it does not start a new
 * measurement. Copies that no request uses do not count, because their age does not matter.
 */
export class OldestCopyInUse {
  private windowEndsMs = -Infinity;
  private currentMs = 0;
  private previousMs = 0;

  saw(ageMs: number, nowMs: number): void {
    if (nowMs >= this.windowEndsMs) this.turn(nowMs);
    if (ageMs > this.currentMs) this.currentMs = ageMs;
  }

  /** Seconds; 0 when nothing was seen. */
  seconds(nowMs = performance.now()): number {
    if (nowMs >= this.windowEndsMs) this.turn(nowMs);
    return Math.max(this.currentMs, this.previousMs) / 1_000;
  }

  private turn(nowMs: number): void {
    const follows = nowMs < this.windowEndsMs + WINDOW_MS;
    this.previousMs = follows ? this.currentMs : 0;
    this.currentMs = 0;
    this.windowEndsMs = nowMs + WINDOW_MS;
  }
}
