import type { ServerResponse } from 'node:http';
import { whenOver } from './when-over';

/** Smaller ones fit into what the kernel keeps of a connection; bytes. */
const SMALL_BYTES = 64 * 1024;

export interface UnreadBounds {
  /** Of all large answers at once. */
  readonly mostBytes: number;
  /** How long a client may take to read a large one. */
  readonly readWithinMs: number;
}

/**
 * Large answers that their clients have not read yet. A few bytes ask for them, so their sum is bounded, and each is
 * kept for a short time only: else whoever asks and does not read ends the process.
 */
export class UnreadAnswers {
  private kept = 0;

  constructor(private readonly bounds: UnreadBounds) {}

  /** @returns false when there is no room for an answer of so many bytes; else it counts until it is read */
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
