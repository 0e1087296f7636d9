/** Counts by key that are reported to the other processes from time to time. */
export interface Tellable {
  readonly key: string;
  /** Counts of this process that it has not reported yet. */
  untold: number;
}

/** The most keys that wait to be reported; further keys are not reported. */
const MAX_UNTOLD = 10_000;

/** The counts that wait to be reported, the oldest first. */
export class Untold {
  private readonly waiting = new Set<Tellable>();

  note(tellable: Tellable, tokens: number): void {
    // A key whose tokens were all given back is already in the list.
    if (tellable.untold === 0 && !this.waiting.has(tellable)) {
      if (this.waiting.size >= MAX_UNTOLD) return;
      this.waiting.add(tellable);
    }
    tellable.untold += tokens;
  }

  /** The counts since the last call, of at most this many keys; the others come next time. */
  drain(maxKeys: number): Array<readonly [key: string, tokens: number]> {
    const told: Array<readonly [string, number]> = [];
    for (const tellable of this.waiting) {
      if (told.length === maxKeys) break;
      this.waiting.delete(tellable);
      if (tellable.untold > 0) told.push([tellable.key, tellable.untold]);
      tellable.untold = 0;
    }
    return told;
  }
}
