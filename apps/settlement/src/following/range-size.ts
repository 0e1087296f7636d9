export interface RangeSizeOptions {
  /** Blocks in one range at most. */
  readonly most: number;
  /** How long a step should take at most: well within a lease. Milliseconds. */
  readonly targetMs: number;
}

/**
 * How many blocks a step takes on: fewer when the last one took long, so that a slow chain never costs the leader its
 * lease in the middle of every step, and more again when it was quick.
 */
export class RangeSize {
  private blocks: number;

  constructor(private readonly options: RangeSizeOptions) {
    this.blocks = options.most;
  }

  get current(): number {
    return this.blocks;
  }

  /** Says how long the last step took. */
  took(ms: number): void {
    const { most, targetMs } = this.options;
    if (ms > targetMs) this.blocks = Math.max(1, Math.floor(this.blocks / 2));
    else if (ms < targetMs / 4) this.blocks = Math.min(most, this.blocks * 2);
  }
}
