/** A body that takes memory. */
export interface KeptBody {
  /** Ends it when others need its room, while it is still coming. */
  readonly giveUp: () => void;
  bytes: number;
}

/**
 * The bytes of all requests that a process is reading or answering. What clients send is kept before anybody knows who
 * they are, so its sum is bounded, not only each of it: else whoever opens enough connections ends the process.
 *
 * Where there is no room, the bodies that have been coming for the longest are given up. Who sends at once what he has
 * announced is served; turning newcomers away instead would let a few slow clients close the door to everybody.
 */
export class BodyMemory {
  private taken = 0;
  /** Bodies that are still coming, in the order of their first bytes. */
  private readonly coming = new Set<KeptBody>();

  /** @param most bytes of all bodies at once; with what is made of them it is several times as much */
  constructor(private readonly most: number) {}

  /** @returns false when there is no room for so many bytes more, not even that of older bodies; then none are taken */
  take(body: KeptBody, bytes: number): boolean {
    for (const oldest of this.coming) {
      if (this.taken + bytes <= this.most || oldest === body) break;
      this.end(oldest);
      oldest.giveUp();
    }
    if (this.taken + bytes > this.most) return false;
    if (body.bytes === 0) this.coming.add(body);
    this.taken += bytes;
    body.bytes += bytes;
    return true;
  }

  /** It has come, and is kept until it ends. @param bytes what it takes from now on */
  complete(body: KeptBody, bytes = body.bytes): void {
    this.coming.delete(body);
    this.taken += bytes - body.bytes;
    body.bytes = bytes;
  }

  /** It is kept no more. */
  end(body: KeptBody): void {
    this.complete(body, 0);
  }
}
