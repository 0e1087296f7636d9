import { LRUCache } from 'lru-cache';

export interface CachedLoaderOptions<Key, Value extends object> {
  readonly keyOf: (key: Key) => string;
  /** Loads many values in one statement; returns them in the order of the keys. */
  readonly load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly maxAgeMs: number;
  readonly clock: () => number;
}

const MAX_ENTRIES = 10_000;

/**
 * Caches values that may be a little old. Each value is loaded once per period. Values that are missing at the same
 * moment are loaded in one statement.
 */
export class CachedLoader<Key, Value extends object> {
  private readonly cache: LRUCache<string, { value: Promise<Value>; loadedAtMs: number }>;
  private missing: { key: Key; resolve: (value: Value) => void; reject: (error: unknown) => void }[] = [];

  constructor(private readonly options: CachedLoaderOptions<Key, Value>) {
    this.cache = new LRUCache({ max: MAX_ENTRIES });
  }

  get(key: Key): Promise<Value> {
    const id = this.options.keyOf(key);
    const now = this.options.clock();
    const known = this.cache.get(id);
    if (known && now - known.loadedAtMs < this.options.maxAgeMs) return known.value;
    const value = new Promise<Value>((resolve, reject) => this.missing.push({ key, resolve, reject }));
    const entry = { value, loadedAtMs: now };
    this.cache.set(id, entry);
    // A failure is not cached: the next caller loads again.
    value.catch(() => this.cache.peek(id) === entry && this.cache.delete(id));
    if (this.missing.length === 1) setImmediate(() => void this.loadMissing());
    return value;
  }

  private async loadMissing(): Promise<void> {
    const { missing } = this;
    this.missing = [];
    try {
      const values = await this.options.load(missing.map(({ key }) => key));
      missing.forEach(({ resolve }, index) => resolve(values[index]!));
    } catch (error) {
      for (const { reject } of missing) reject(error);
    }
  }
}
