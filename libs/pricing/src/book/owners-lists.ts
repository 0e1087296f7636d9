/** The tokens that one owner wants priced. */
export interface OwnersList {
  /** The owner's snapshot from which the list was made; setting the same snapshot again changes nothing. */
  readonly source: unknown;
  readonly keys: readonly string[];
  /** Monotonic milliseconds. */
  readonly askedAtMs: number;
}

/**
 * The owners' lists of tokens. Each owner has one list, so an owner who changes his tokens often holds no more than
 * others. All lists together are bounded; the list that was asked for longest ago is dropped first.
 */
export class OwnersLists {
  /** The least recently used first. */
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

  /** Notes that an owner's list was asked for. @returns true if the list is unchanged */
  touch(owner: string, source: unknown, nowMs: number): boolean {
    const known = this.lists.get(owner);
    if (!known || known.source !== source) return false;
    this.lists.delete(owner);
    this.lists.set(owner, { ...known, askedAtMs: nowMs });
    return true;
  }

  /** Sets the owner's list; an empty list takes no place. */
  set(owner: string, list: OwnersList): void {
    this.delete(owner);
    if (list.keys.length === 0) return;
    const keys = list.keys.slice(0, this.maxTokens);
    this.lists.set(owner, { ...list, keys });
    for (const key of keys) this.uses.set(key, (this.uses.get(key) ?? 0) + 1);
    // The newest list alone always fits, so the loop ends before it drops that list.
    for (const oldest of this.lists.keys()) {
      if (this.uses.size <= this.maxTokens && this.lists.size <= this.maxTokens) break;
      if (oldest !== owner) this.delete(oldest);
    }
  }

  /** @returns whether a list was dropped */
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
