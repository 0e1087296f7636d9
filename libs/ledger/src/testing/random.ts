/** A repeatable source of randomness (mulberry32), the same in every process that is given the seed. */
export class Random {
  constructor(private state: number) {}

  /** From 0 to less than 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  of<T>(values: readonly T[]): T {
    return values[this.integer(0, values.length - 1)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
