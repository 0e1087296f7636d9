/** What one owner wants priced. */
export interface OwnersList {
  /** What it was made of: the same one again is no news. */
  readonly source: unknown;
  readonly keys: readonly string[];
  /** Monotonic milliseconds. */
  readonly askedAtMs: number;
}

/**
 * Which owner wants which tokens. One list per owner, so that an owner who changes a token often holds no more than one
 * who does not; bounded over all, the list asked about longest ago giving way.
 */
export class OwnersLists {
  /** In the order they were asked about. */
  private readonly lists = new Map<string, OwnersList>();
  /** How many lists name a token. */
  private readonly uses = new Map<string, number>();

  constructor(private readonly maxTokens: number) {}

  /** Whether any list names the token. */
  has(key: string): boolean {
    return this.uses.has(key);
  }

  knows(owner: string): boolean {
    return this.lists.has(owner);
  }

  /** Notes that an owner was asked about. @returns whether the list is still the one we know */
  touch(owner: string, source: unknown, nowMs: number): boolean {
    const known = this.lists.get(owner);
    if (!known || known.source !== source) return false;
    this.lists.delete(owner);
    this.lists.set(owner, { ...known, askedAtMs: nowMs });
    return true;
  }

  /** The owner's list from now on; one of no tokens takes no place. */
  set(owner: string, list: OwnersList): void {
    this.delete(owner);
    if (list.keys.length === 0) return;
    const keys = list.keys.slice(0, this.maxTokens);
    this.lists.set(owner, { ...list, keys });
    for (const key of keys) this.uses.set(key, (this.uses.get(key) ?? 0) + 1);
    // The newest list alone always fits, so this ends before it.
    for (const oldest of this.lists.keys()) {
      if (this.uses.size <= this.maxTokens && this.lists.size <= this.maxTokens) break;
      if (oldest !== owner) this.delete(oldest);
    }
  }

  /** @returns whether any went */
  dropBefore(askedAtMs: number): boolean {
    const old = [...this.lists].filter(([, list]) => list.askedAtMs < askedAtMs);
    for (const [owner] of old) this.delete(owner);
    return old.length > 0;
  }

  private delete(owner: string): void {
    for (const key of this.lists.get(owner)?.keys ?? []) {
      const left = (this.uses.get(key) ?? 1) - 1;
      if (left > 0) this.uses.set(key, left);
      else this.uses.delete(key);
    }
    this.lists.delete(owner);
  }
}
