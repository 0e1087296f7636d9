import type { ServerResponse } from 'node:http';
import { whenOver } from './when-over';

/** Smaller answers fit into the kernel's buffer of a connection; bytes. */
const SMALL_BYTES = 64 * 1024;

export interface UnreadBounds {
  /** Bytes of all large answers at once. */
  readonly mostBytes: number;
  /** How long a client may take to read a large answer. */
  readonly readWithinMs: number;
}

/**
 * Counts large answers that their clients have not read yet. A request of a few bytes can cause such an answer. So the
 * sum of these answers is bounded, and each is kept only for a short time. Otherwise clients that send requests and do
 * not read the answers could end the process.
 */
export class UnreadAnswers {
  private kept = 0;

  constructor(private readonly bounds: UnreadBounds) {}

  /** @returns false if there is no room for an answer of this size; otherwise the answer counts until it is read */
  keep(response: ServerResponse, bytes: number): boolean {
    if (bytes <= SMALL_BYTES) return true;
    if (this.kept + bytes > this.bounds.mostBytes) return false;
    this.kept += bytes;
    const late = setTimeout(() => response.req.socket.destroy(), this.bounds.readWithinMs);
    whenOver(response, () => {
      clearTimeout(late);
      this.kept -= bytes;
    });
    return true;
  }
}
