/** An entry that is remembered until a second of chain time has passed. */
export interface Expiring {
  readonly validUntilSeconds: number;
}

/**
 * A table whose entries expire. Setting, reading and deleting take constant time. Taking out the expired entries looks
 * at one bucket per second of validity, and only when time has moved on. The table does not bound its size: the caller
 * has to.
 */
export class ExpiringTable<V extends Expiring> {
  private readonly entries = new Map<string, V>();
  private readonly keysBySecond = new Map<number, Set<string>>();
  private sweptUntilSeconds = 0;

  get size(): number {
    return this.entries.size;
  }

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    this.delete(key);
    this.entries.set(key, value);
    const sameSecond = this.keysBySecond.get(value.validUntilSeconds) ?? new Set<string>();
    this.keysBySecond.set(value.validUntilSeconds, sameSecond.add(key));
  }

  delete(key: string): V | undefined {
    const value = this.entries.get(key);
    if (!value) return undefined;
    this.entries.delete(key);
    const sameSecond = this.keysBySecond.get(value.validUntilSeconds);
    sameSecond?.delete(key);
    if (sameSecond?.size === 0) this.keysBySecond.delete(value.validUntilSeconds);
    return value;
  }

  /** Removes and returns all entries whose last valid second is before `seconds`. */
  takeEndedBefore(seconds: number): V[] {
    if (seconds <= this.sweptUntilSeconds) return [];
    this.sweptUntilSeconds = seconds;
    const ended: V[] = [];
    for (const [second, keys] of this.keysBySecond) {
      if (second >= seconds) continue;
      for (const key of keys) {
        const value = this.delete(key);
        if (value) ended.push(value);
      }
    }
    return ended;
  }
}
