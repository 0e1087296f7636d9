/** A body that is kept in memory. */
export interface KeptBody {
  /** Called when other requests need the room: ends the request while its body is still arriving. */
  readonly giveUp: () => void;
  bytes: number;
}

/**
 * Counts the bytes of all requests that a process is reading or answering. Bodies are kept before their senders are
 * known, so their sum is bounded, not only each body. Otherwise anybody who opens enough connections could end the
 * process.
 *
 * When there is no room, it gives up the bodies that have been arriving for the longest. So a client that sends its
 * whole body quickly is served. If new requests were refused instead, a few slow clients could lock all others out.
 */
export class BodyMemory {
  private taken = 0;
  /** Bodies that are still arriving, in the order of their first bytes. */
  private readonly coming = new Set<KeptBody>();

  /** @param most bytes of all bodies at once; the objects made of them take several times as much */
  constructor(private readonly most: number) {}

  /**
   * @returns false when there is no room for this many more bytes, even without older bodies; then none are given up
   */
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

  /** The body has arrived, and is kept until its request ends. @param bytes that it takes from now on */
  complete(body: KeptBody, bytes = body.bytes): void {
    this.coming.delete(body);
    this.taken += bytes - body.bytes;
    body.bytes = bytes;
  }

  /** The body is no longer kept. */
  end(body: KeptBody): void {
    this.complete(body, 0);
  }
}
