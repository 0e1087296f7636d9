const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
const FORGIVEN_AFTER_MS = 600_000;

/** How long a kubelet waits before it starts a container again: not at all, then 10 s, 20 s, up to 5 min. */
export class BackOff {
  private nextMs = 0;

  /** @param ranMs how long the container ran; ten minutes make good for all before */
  afterEnd(ranMs: number): number {
    if (ranMs >= FORGIVEN_AFTER_MS) this.nextMs = 0;
    const waitMs = this.nextMs;
    this.nextMs = waitMs === 0 ? FIRST_MS : Math.min(waitMs * 2, LONGEST_MS);
    return waitMs;
  }
}
