import { getHeapStatistics } from 'node:v8';
import type { PolicySnapshot } from '@paymaster/domain';
import { fromOwnText, toMessage } from '@paymaster/messaging';
import { compilePolicy, type CompiledPolicy } from '@paymaster/policy';
import { LRUCache } from 'lru-cache';
import { snapshotBytes } from './snapshot-bytes';

/** A snapshot with the look-up tables that are built from it once. */
export interface LoadedPolicy {
  readonly snapshot: PolicySnapshot;
  readonly policy: CompiledPolicy;
}

/** How much copies may take; bytes. */
export interface CopyBounds {
  readonly text: number;
  /** Counted by {@link snapshotBytes}, which overestimates. */
  readonly compiled: number;
}

const MEBIBYTE = 2 ** 20;
const { heap_size_limit: heapBytes } = getHeapStatistics();
/**
 * With their overhead, copies stay below 256 MB (`npm run bench -- --only cache` checks it), and in a small heap below
 * half of it.
 */
const BOUNDS: CopyBounds = {
  text: Math.min(168 * MEBIBYTE, Math.floor(heapBytes / 3)),
  compiled: Math.min(28 * MEBIBYTE, Math.floor(heapBytes / 8)),
};
/**
 * Tables are kept when they were made within this time before already, and within a longer time where they are dear to
 * make: a text of twice {@link USUAL_TEXT} has twice the time. Tables of many seldom used keys would be dropped before
 * they are used again, and for V8 an object that lives for some time costs much more than one that dies at once.
 * Milliseconds.
 */
const USED_OFTEN_MS = 300;
/** The text of an ordinary policy, characters. The text of the largest has 120 times as many. */
const USUAL_TEXT = 2_000;
/** The memory of a copy in addition to its text. */
const COPY_BYTES = 600;

const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;

/** A policy in memory. */
export interface Copy {
  readonly chainId: number;
  readonly paymasterId: string;
  readonly version: number;
  /** The snapshot as the text that NATS carried. It takes a quarter to a half of the memory of its look-up tables. */
  readonly text: string;
  /** Of a named key, and not of the paymaster's own key. */
  readonly isNamed: boolean;
  /** Its key ends only by a change of the paymaster, which a gateway hears of. */
  lasting: boolean;
  /** When the question was asked that last confirmed this copy by itself; milliseconds of the monotonic clock. */
  confirmedAtMs: number;
  failedAtMs: number;
  /** When look-up tables were last made of the text; milliseconds of the monotonic clock. */
  compiledAtMs: number;
}

/**
 * Policies by the blind index of their API key. Every policy is kept as text; policies in frequent use also have look-up
 * tables. Text is small, so nearly all keys in use have a copy. Making the tables from the text again costs a fifth of
 * asking the dashboard. When memory is full, the least recently used texts and tables are dropped first.
 */
export class PolicyCopies {
  private readonly copies: LRUCache<string, Copy>;
  private readonly compiled: LRUCache<string, LoadedPolicy>;
  /** By paymaster; a list only where several of its keys are in use, which is rare and takes more memory. */
  private readonly indexes = new Map<string, string | readonly string[]>();

  constructor(bounds: CopyBounds = BOUNDS) {
    this.copies = new LRUCache({
      maxSize: bounds.text,
      sizeCalculation: ({ text }) => COPY_BYTES + textBytes(text),
      dispose: ({ paymasterId }, index) => {
        this.compiled.delete(index);
        this.removeIndex(paymasterId, index);
      },
    });
    this.compiled = new LRUCache({
      maxSize: bounds.compiled,
      sizeCalculation: ({ snapshot }) => snapshotBytes(snapshot),
    });
  }

  get size(): number {
    return this.copies.size;
  }

  /** The memory of all texts and tables; an overestimate. */
  get bytes(): number {
    return this.copies.calculatedSize + this.compiled.calculatedSize;
  }

  /** The copy of a key. The call counts as a use of the copy. */
  get(index: string): Copy | undefined {
    return this.copies.get(index);
  }

  /** The copy of a key. The call does not count as a use of the copy. */
  peek(index: string): Copy | undefined {
    return this.copies.peek(index);
  }

  /** All copies, the most recently used first. */
  values(): Iterable<Copy> {
    return this.copies.values();
  }

  /** The policy of a copy, ready for operations. The same object for as long as it is used often. */
  load(index: string, copy: Copy): LoadedPolicy {
    const known = this.compiled.get(index);
    if (known?.snapshot.paymasterId === copy.paymasterId && known.snapshot.version === copy.version) return known;
    const loaded = compile(fromOwnText(copy.text));
    const nowMs = performance.now();
    const isUsedOften = nowMs - copy.compiledAtMs < USED_OFTEN_MS * Math.max(1, copy.text.length / USUAL_TEXT);
    if (isUsedOften && this.copies.has(index)) this.compiled.set(index, loaded);
    copy.compiledAtMs = nowMs;
    return loaded;
  }

  /** Keeps a snapshot that was confirmed at a time. A version that is there already keeps its tables. */
  keep(index: string, snapshot: PolicySnapshot, confirmedAtMs: number): LoadedPolicy {
    const { paymasterId, version, chainId } = snapshot;
    const known = this.copies.peek(index);
    if (known?.paymasterId === paymasterId && known.version === version) {
      this.confirm(index, known, confirmedAtMs);
      return this.load(index, known);
    }
    this.delete(index);
    const text = JSON.stringify(toMessage(snapshot));
    this.set(index, {
      ...{ chainId, paymasterId, version, text, isNamed: snapshot.key !== null, lasting: false },
      ...{ confirmedAtMs, failedAtMs: -Infinity, compiledAtMs: performance.now() },
    });
    return compile(snapshot);
  }

  /** Notes when a copy was confirmed, and stores it again if it was dropped meanwhile. */
  confirm(index: string, copy: Copy, confirmedAtMs: number): void {
    copy.confirmedAtMs = confirmedAtMs;
    copy.failedAtMs = -Infinity;
    if (!this.copies.has(index)) this.set(index, copy);
  }

  delete(index: string): void {
    this.copies.delete(index);
  }

  /** Forgets the copies of a paymaster, one for each of its keys in use, if they are below a version. */
  deleteOlder(paymasterId: string, version: number): void {
    for (const index of this.indexesOf(paymasterId)) {
      const copy = this.copies.peek(index);
      if (copy && copy.version < version) this.copies.delete(index);
    }
  }

  private set(index: string, copy: Copy): void {
    this.copies.set(index, copy);
    // The cache does not keep an entry that is larger than its bound.
    if (this.copies.has(index)) this.addIndex(copy.paymasterId, index);
  }

  private indexesOf(paymasterId: string): readonly string[] {
    const known = this.indexes.get(paymasterId) ?? [];
    return typeof known === 'string' ? [known] : known;
  }

  private addIndex(paymasterId: string, index: string): void {
    const others = this.indexesOf(paymasterId).filter((other) => other !== index);
    this.indexes.set(paymasterId, others.length === 0 ? index : [...others, index]);
  }

  private removeIndex(paymasterId: string, index: string): void {
    const [other, ...more] = this.indexesOf(paymasterId).filter((each) => each !== index);
    if (other === undefined) this.indexes.delete(paymasterId);
    else this.indexes.set(paymasterId, more.length === 0 ? other : [other, ...more]);
  }
}

function compile(snapshot: PolicySnapshot): LoadedPolicy {
  return { snapshot, policy: compilePolicy(snapshot) };
}

/** The memory that V8 takes for a text: one byte per character if all of them are Latin-1, otherwise two. */
function textBytes(text: string): number {
  return BEYOND_LATIN_1.test(text) ? 2 * text.length : text.length;
}
