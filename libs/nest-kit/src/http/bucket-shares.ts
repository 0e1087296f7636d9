import { LRUCache } from 'lru-cache';
import { UnreportedCounts, type ReportedCount } from './unreported-counts';

interface Use extends ReportedCount {
  /** Tokens that a user took lately; older tokens count less. */
  tokens: number;
  countedAtMs: number;
  /** The seconds in which the counted tokens fall to their e-th part. */
  fadesInSeconds: number;
}

/** The most users that are remembered; the least recently active user is forgotten first. */
const MAX_USERS = 100_000;
/** A user who took less than this lately counts as having taken nothing. */
const NOTHING = 0.5;

export interface BucketShareOptions {
  /** The shared buckets: how many tokens flow into each, and how many a full one holds. */
  readonly perSecond: number;
  readonly capacity: number;
  readonly nowMs?: () => number;
}

/**
 * How much of a token bucket one of its users may take: a share of the sum of what is left and what the user itself
 * took. So each user leaves something for others, however many users there are. A user who took nothing lately may take
 * what one request needs.
 *
 * A user who takes all it can gets its share of a full bucket at once, and then its share of the inflow. If `n` users
 * do so, each gets the `n`-th part, and a full bucket divided by `n` shares is left for the next user. Only when many
 * users begin at once, the first takes its share, the second its share of the rest, and so on.
 */
export class BucketShares {
  /** Bounded by size and not by `max`, because the cache would allocate memory for `max` entries at the start. */
  private readonly users = new LRUCache<string, Use>({ maxSize: MAX_USERS, sizeCalculation: () => 1 });
  private readonly nowMs: () => number;
  private readonly unreported = new UnreportedCounts();

  constructor(private readonly options: BucketShareOptions) {
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /**
   * @param key of the user and the bucket
   * @param asked.left what the bucket holds
   * @param asked.share of the bucket; above 0 and below 1
   * @returns 0, or the whole seconds until this much may be taken
   */
  waitSeconds(key: string, { weight, left, share }: { weight: number; left: number; share: number }): number {
    const use = this.upToDate(key);
    const { perSecond, capacity } = this.options;
    use.fadesInSeconds = capacity / ((1 - share) * perSecond);
    if (use.tokens < NOTHING || use.tokens + weight <= share * (left + use.tokens)) return 0;
    const mayHaveTaken = (share * left - weight) / (1 - share);
    const wait = use.fadesInSeconds * (mayHaveTaken > 0 ? Math.log(use.tokens / mayHaveTaken) : 1);
    return Math.max(1, Math.ceil(wait));
  }

  /** Counts taken tokens. */
  took(key: string, tokens: number): void {
    const use = this.upToDate(key);
    use.tokens += tokens;
    this.unreported.note(use, tokens);
  }

  /** Counts tokens that were taken in another process. */
  takeElsewhere(key: string, tokens: number): void {
    this.upToDate(key).tokens += tokens;
  }

  /** The tokens taken here since the last call, of at most this many users. */
  drain(maxKeys: number): Array<readonly [key: string, tokens: number]> {
    return this.unreported.drain(maxKeys);
  }

  private upToDate(key: string): Use {
    const { perSecond, capacity } = this.options;
    const nowMs = this.nowMs();
    let use = this.users.get(key);
    if (!use) {
      use = { key, tokens: 0, countedAtMs: nowMs, fadesInSeconds: (2 * capacity) / perSecond, unreported: 0 };
      this.users.set(key, use);
    }
    if (use.tokens > 0) use.tokens *= Math.exp((use.countedAtMs - nowMs) / 1_000 / use.fadesInSeconds);
    use.countedAtMs = nowMs;
    return use;
  }
}
