/** A piece lasts a little longer than this; what cannot be divided, such as JSON.parse, may last a few times as long. */
const PIECE_MS = 2;
/** After each piece, long work rests for so many times as long as that took: it has a third of the process. */
const REST_FACTOR = 2;

/** The pieces of one request's long work. */
export interface Pieces {
  /** To be called between two steps: waits for the next piece when this one has lasted long enough. */
  pause(): Promise<void>;
}

/** For work that nobody waits beside. */
export const IN_ONE_PIECE: Pieces = { pause: async () => undefined };

/**
 * Work that takes longer than others should wait for the event loop, such as reading or writing a megabyte. It is done in
 * pieces, one at a time in the whole process, with rests between them. Those for whom it is done take turns, so that
 * whoever has much to do waits behind who has little.
 */
export class LongWork {
  /** The pieces that wait, of each for whom it is done; who was served last stands last. */
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

  /** @param hasBegun what has is done first: what it has made so far is kept in memory */
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
    // Comes when the piece is done: all of it happens before the event loop goes on.
    setImmediate(() => setTimeout(() => this.rested(), (performance.now() - beganMs) * REST_FACTOR));
  }

  private rested(): void {
    this.isBusy = false;
    this.beginNext();
  }
}
