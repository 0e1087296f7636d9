/**
 * How much of bodies one process keeps at once; bytes. With what is made of them it is about four times as much, which
 * fits into a pod's limit beside everything else (docs/operations/capacity.md), and is 250 of the largest.
 */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * The bytes of all requests that are being read or answered. What clients send is kept before anybody knows who they
 * are, so its sum is bounded, not only each of it: else whoever opens enough connections ends the process.
 */
export class BodyMemory {
  private taken = 0;

  constructor(private readonly most = MOST_BYTES) {}

  /** @returns false when there is no room for so many bytes; then none are taken */
  take(bytes: number): boolean {
    if (this.taken + bytes > this.most) return false;
    this.taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.taken -= bytes;
  }
}
