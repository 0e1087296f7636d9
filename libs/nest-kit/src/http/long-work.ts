/**
 * A piece lasts a little longer than this; work that cannot be divided, such as JSON.parse, may last several times as
 * long. Milliseconds.
 */
const PIECE_MS = 2;
/**
 * After each piece, long work rests for this many times as long as the piece took, so it has a third of the process.
 */
const REST_FACTOR = 2;

/** The pieces of one request's long work. */
export interface Pieces {
  /** Call it between two steps: it waits for the next piece when this piece has lasted long enough. */
  pause(): Promise<void>;
}

/** Pieces for work that need not be divided, because no other request waits. */
export const IN_ONE_PIECE: Pieces = { pause: async () => undefined };

/**
 * Divides long work, such as parsing or writing a megabyte, so that it does not block the event loop. The work is done
 * in pieces, one at a time in the whole process, with rests between them. Clients take turns, so that a client with
 * much work does not delay a client with little work.
 */
export class LongWork {
  /** The waiting pieces by client; the client that was served last comes last. */
  private readonly lines = new Map<string, Array<() => void>>();
  private isBusy = false;

  /** @returns the pieces of a request's work; the first begins with the first pause */
  of(whom: string): Pieces {
    let beganMs = -Infinity;
    return {
      pause: async () => {
        if (performance.now() - beganMs < PIECE_MS) return;
        await this.turnOf(whom, beganMs !== -Infinity);
        beganMs = performance.now();
      },
    };
  }

  /** @param hasBegun whether the work has begun. If so, it comes first, because its results are kept in memory */
  private turnOf(whom: string, hasBegun: boolean): Promise<void> {
    return new Promise((resolve) => {
      const line = this.lines.get(whom) ?? [];
      this.lines.set(whom, line);
      if (hasBegun) line.unshift(resolve);
      else line.push(resolve);
      this.beginNext();
    });
  }

  private beginNext(): void {
    const [next] = this.isBusy ? [] : this.lines;
    if (!next) return;
    const [whom, line] = next;
    this.isBusy = true;
    this.lines.delete(whom);
    const begin = line.shift()!;
    if (line.length > 0) this.lines.set(whom, line);
    const beganMs = performance.now();
    begin();
    // Resolves when the piece is done. A piece runs without a pause of the event loop.
    setImmediate(() => setTimeout(() => this.rested(), (performance.now() - beganMs) * REST_FACTOR));
  }

  private rested(): void {
    this.isBusy = false;
    this.beginNext();
  }
}
