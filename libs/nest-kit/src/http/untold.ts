/** What is counted by key and told to the other processes from time to time. */
export interface Tellable {
  readonly key: string;
  /** What was counted here and no other process has been told of yet. */
  untold: number;
}

/** Keys that wait to be told; of more than that, others are told nothing. */
const MAX_UNTOLD = 10_000;

/** What others wait to hear, the longest first. */
export class Untold {
  private readonly waiting = new Set<Tellable>();

  note(tellable: Tellable, tokens: number): void {
    // One whose tokens were all given back waits already.
    if (tellable.untold === 0 && !this.waiting.has(tellable)) {
      if (this.waiting.size >= MAX_UNTOLD) return;
      this.waiting.add(tellable);
    }
    tellable.untold += tokens;
  }

  /** What was noted since the last time, of so many keys at most; the others come next time. */
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
