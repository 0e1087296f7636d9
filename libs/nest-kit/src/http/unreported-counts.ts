/** The count of one key, which this process reports to the others from time to time. */
export interface ReportedCount {
  readonly key: string;
  /** What this process counted and has not reported yet. */
  unreported: number;
}

/** The most keys that wait to be reported; further keys are not reported. */
const MAX_WAITING = 10_000;

/** The counts that wait to be reported, the oldest first. */
export class UnreportedCounts {
  private readonly waiting = new Set<ReportedCount>();

  /** Adds to a key's count, unless too many keys wait already. */
  note(of: ReportedCount, count: number): void {
    // The count of a key that waits is 0 where what was counted has been taken back since.
    if (of.unreported === 0 && !this.waiting.has(of)) {
      if (this.waiting.size >= MAX_WAITING) return;
      this.waiting.add(of);
    }
    of.unreported += count;
  }

  /** The counts since the last call, of at most this many keys; the others come next time. */
  drain(maxKeys: number): Array<readonly [key: string, count: number]> {
    const reported: Array<readonly [string, number]> = [];
    for (const each of this.waiting) {
      if (reported.length === maxKeys) break;
      this.waiting.delete(each);
      if (each.unreported > 0) reported.push([each.key, each.unreported]);
      each.unreported = 0;
    }
    return reported;
  }
}
