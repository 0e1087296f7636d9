/** What one account of the exposure stands at; wei. */
export interface Exposure {
  /** Sum of what live signatures may leave unpaid. */
  readonly liveWei: bigint;
  /** Sum of what was left unpaid. */
  readonly dueWei: bigint;
  /** How many signatures are live. */
  readonly holds: number;
}

const NONE: Exposure = { liveWei: 0n, dueWei: 0n, holds: 0 };

/** Sums by account. An account that stands at nothing is forgotten. */
export class ExposureTotals {
  private readonly accounts = new Map<string, Exposure>();

  /** Number of accounts that stand at something. */
  get size(): number {
    return this.accounts.size;
  }

  of(account: string): Exposure {
    return this.accounts.get(account) ?? NONE;
  }

  add(account: string, change: Partial<Exposure>): void {
    const before = this.of(account);
    const after = {
      liveWei: before.liveWei + (change.liveWei ?? 0n),
      dueWei: before.dueWei + (change.dueWei ?? 0n),
      holds: before.holds + (change.holds ?? 0),
    };
    if (after.holds === 0 && after.dueWei === 0n) this.accounts.delete(account);
    else this.accounts.set(account, after);
  }
}
