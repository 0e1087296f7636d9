import { LRUCache } from 'lru-cache';

/** Bad tokens that one address may send before its first pause, and how many of them are restored per second. */
const FREE = 300;
const FREE_PER_SECOND = 0.1;
/** Bad tokens between two pauses. */
const BETWEEN_PAUSES = 5;
/**
 * Each pause is twice as long as the one before, up to this. It is also the longest that the owner of a good token at
 * that address waits. Seconds.
 */
const LONGEST_PAUSE_SECONDS = 30;
/** After this many seconds without a bad token, one pause is forgotten. */
const FORGET_SECONDS = 60;
/** Higher counts are lowered to this, because at this count the pause is the longest anyway. */
const MOST_AT_ONCE = 1_000;
const MAX_ADDRESSES = 100_000;
const MAX_UNTOLD = 10_000;

interface Guesser {
  readonly address: string;
  /** Bad tokens that are still free. */
  free: number;
  sincePause: number;
  /** Number of recent pauses; falls with time. */
  pauses: number;
  countedAtMs: number;
  pausedUntilMs: number;
  untold: number;
}

/**
 * Slows down a client address that sends wrong authTokens. The first {@link FREE} guesses are free. After that, every
 * few guesses are followed by a pause that is twice as long as the one before. Guesses during a pause do not count, so
 * an attacker cannot keep an address paused for longer than {@link LONGEST_PAUSE_SECONDS}. Processes share their counts
 * through `drain` and `takeElsewhere`.
 */
export class GuessBrake {
  /** Bounded by size and not by `max`, because the cache would allocate memory for `max` entries at the start. */
  private readonly guessers = new LRUCache<string, Guesser>({ maxSize: MAX_ADDRESSES, sizeCalculation: () => 1 });
  private readonly untold: Guesser[] = [];

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** @returns whole seconds for which a request must wait if its token is not known to be good; 0: it need not wait */
  waitSeconds(address: string): number {
    const pausedUntilMs = this.guessers.get(address)?.pausedUntilMs ?? 0;
    return Math.max(0, Math.ceil((pausedUntilMs - this.nowMs()) / 1_000));
  }

  /** Counts a wrong token of that address. */
  failed(address: string): void {
    const guesser = this.count(address, 1);
    if (guesser.untold++ === 0 && this.untold.length < MAX_UNTOLD) this.untold.push(guesser);
  }

  /** Counts wrong tokens that another process has seen. */
  takeElsewhere(address: string, failures: number): void {
    this.count(address, failures);
  }

  /** The counts of this process since the last call, for at most `maxKeys` addresses. */
  drain(maxKeys: number): Array<readonly [address: string, failures: number]> {
    return this.untold.splice(0, maxKeys).map((guesser) => {
      const told = [guesser.address, guesser.untold] as const;
      guesser.untold = 0;
      return told;
    });
  }

  private count(address: string, failures: number): Guesser {
    const nowMs = this.nowMs();
    const guesser = this.guessers.get(address) ?? this.add(address, nowMs);
    const elapsedSeconds = (nowMs - guesser.countedAtMs) / 1_000;
    guesser.countedAtMs = nowMs;
    guesser.free = Math.min(FREE, guesser.free + elapsedSeconds * FREE_PER_SECOND);
    guesser.pauses = Math.max(0, guesser.pauses - elapsedSeconds / FORGET_SECONDS);
    for (let bad = Math.min(failures, MOST_AT_ONCE); bad > 0; bad--) {
      if (guesser.free >= 1) guesser.free -= 1;
      else if (++guesser.sincePause >= BETWEEN_PAUSES) pause(guesser, nowMs);
    }
    return guesser;
  }

  private add(address: string, nowMs: number): Guesser {
    const fresh = { sincePause: 0, pauses: 0, pausedUntilMs: 0, untold: 0 };
    const guesser = { address, free: FREE, countedAtMs: nowMs, ...fresh };
    this.guessers.set(address, guesser);
    return guesser;
  }
}

function pause(guesser: Guesser, nowMs: number): void {
  guesser.sincePause = 0;
  guesser.pauses += 1;
  const seconds = Math.min(LONGEST_PAUSE_SECONDS, 2 ** Math.round(guesser.pauses - 1));
  guesser.pausedUntilMs = nowMs + seconds * 1_000;
}
