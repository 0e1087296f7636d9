import type { ServerResponse } from 'node:http';

/** Smaller ones fit into what the kernel keeps of a connection; bytes. Those of operations are a tenth of it. */
const SMALL_BYTES = 64 * 1024;
/** How much of large answers one process keeps at once; bytes. */
const MOST_BYTES = 32 * 2 ** 20;
/** How long a client may take to read a large one; milliseconds. */
const READ_WITHIN_MS = 10_000;

export interface UnreadBounds {
  readonly mostBytes: number;
  readonly readWithinMs: number;
}

/**
 * Large answers that their clients have not read yet. A few bytes ask for them, some without an API key, so their sum
 * is bounded, and each is kept for a short time only: else whoever asks and does not read ends the process.
 */
export class UnreadAnswers {
  private kept = 0;

  constructor(private readonly bounds: UnreadBounds = { mostBytes: MOST_BYTES, readWithinMs: READ_WITHIN_MS }) {}

  /** @returns false when there is no room for an answer of so many bytes; else it counts until it is read */
  keep(response: ServerResponse, bytes: number): boolean {
    if (bytes <= SMALL_BYTES) return true;
    if (this.kept + bytes > this.bounds.mostBytes) return false;
    this.kept += bytes;
    const late = setTimeout(() => response.destroy(), this.bounds.readWithinMs);
    response.once('close', () => {
      clearTimeout(late);
      this.kept -= bytes;
    });
    return true;
  }
}
