/**
 * The bytes of all requests that a process is reading or answering. What clients send is kept before anybody knows who
 * they are, so its sum is bounded, not only each of it: else whoever opens enough connections ends the process.
 */
export class BodyMemory {
  private taken = 0;

  /** @param most bytes of all bodies at once; with what is made of them it is several times as much */
  constructor(private readonly most: number) {}

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
