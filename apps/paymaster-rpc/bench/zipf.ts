/** Draws ranks, 0 the most frequent, from a Zipf distribution over `count` of them: rank r with weight 1 / (r + 1). */
export class Zipf {
  private readonly cumulative: Float64Array;

  /** @param random uniform in [0, 1) */
  constructor(
    readonly count: number,
    private readonly random: () => number = Math.random,
  ) {
    let sum = 0;
    this.cumulative = Float64Array.from({ length: count }, (_, rank) => (sum += 1 / (rank + 1)));
  }

  /** How often a rank is drawn; 0 to 1. */
  shareOf(rank: number): number {
    return 1 / (rank + 1) / this.total;
  }

  next(): number {
    const wanted = this.random() * this.total;
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.cumulative[middle] as number) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /**
   * Every rank once, in an order in which traffic that has gone on forever asked for them last, the latest at the end.
   * The time since a rank was last asked for is exponential in its share; so a cache that drops what was used longest
   * ago, asked in this order, is in the state that it has after any length of traffic.
   */
  lastAsked(): Uint32Array {
    const sinceAsked = Float64Array.from(
      { length: this.count },
      (_, rank) => -Math.log(1 - this.random()) / this.shareOf(rank),
    );
    return Uint32Array.from({ length: this.count }, (_, rank) => rank).sort(
      (one, other) => (sinceAsked[other] as number) - (sinceAsked[one] as number),
    );
  }

  private get total(): number {
    return this.cumulative[this.count - 1] ?? 0;
  }
}
