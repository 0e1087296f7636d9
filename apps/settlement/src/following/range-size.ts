/** The most blocks of one step while settlement catches up. The chain's reader asks for some hundreds at most. */
export const MAX_RANGE_BLOCKS = 200;

export interface RangeSizeOptions {
  /** The most blocks in one range. */
  readonly most: number;
  /** The longest that a step should take, far below the time of a lease; milliseconds. */
  readonly targetMs: number;
}

/**
 * How many blocks a step applies: fewer after a slow step, and more after a quick step. So on a slow chain the leader
 * does not lose its lease in the middle of each step.
 */
export class RangeSize {
  private blocks: number;

  constructor(private readonly options: RangeSizeOptions) {
    this.blocks = options.most;
  }

  get current(): number {
    return this.blocks;
  }

  /** Tells how long the last step took. */
  took(ms: number): void {
    const { most, targetMs } = this.options;
    if (ms > targetMs) this.blocks = Math.max(1, Math.floor(this.blocks / 2));
    else if (ms < targetMs / 4) this.blocks = Math.min(most, this.blocks * 2);
  }
}
