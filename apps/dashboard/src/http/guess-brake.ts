import { LRUCache } from 'lru-cache';

/** Bad tokens that one address may send at once, and how fast that comes back. */
const FREE = 300;
const FREE_PER_SECOND = 0.1;
/** Bad tokens between two pauses. */
const BETWEEN_PAUSES = 5;
/** Each pause is twice as long as the one before; so long the owner of a good token there waits at most. Seconds. */
const LONGEST_PAUSE_SECONDS = 30;
/** In so many seconds without a bad token, one pause is forgotten. */
const FORGET_SECONDS = 60;
/** More count as so many: there the pause is the longest anyway. */
const MOST_AT_ONCE = 1_000;
const MAX_ADDRESSES = 100_000;
const MAX_UNTOLD = 10_000;

interface Guesser {
  readonly address: string;
  /** Bad tokens that are still free. */
  free: number;
  sincePause: number;
  /** Pauses lately; falls with time. */
  pauses: number;
  countedAtMs: number;
  pausedUntilMs: number;
  untold: number;
}

/**
 * Slows down who sends authTokens that are not good: some are free, then after each few there is a pause, twice as
 * long as the one before. It ends by itself: guesses in a pause do not count, so that nobody can keep an address
 * paused for longer than {@link LONGEST_PAUSE_SECONDS}. Processes share it through `drain` and `takeElsewhere`.
 */
export class GuessBrake {
  private readonly guessers = new LRUCache<string, Guesser>({ max: MAX_ADDRESSES });
  private readonly untold: Guesser[] = [];

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** @returns whole seconds that a token which is not known to be good has to wait; 0 for none */
  waitSeconds(address: string): number {
    const pausedUntilMs = this.guessers.get(address)?.pausedUntilMs ?? 0;
    return Math.max(0, Math.ceil((pausedUntilMs - this.nowMs()) / 1_000));
  }

  /** A token of that address was not good. */
  failed(address: string): void {
    const guesser = this.count(address, 1);
    if (guesser.untold++ === 0 && this.untold.length < MAX_UNTOLD) this.untold.push(guesser);
  }

  /** As many were not good in another process. */
  takeElsewhere(address: string, failures: number): void {
    this.count(address, failures);
  }

  /** What was counted here since the last time, of so many addresses at most. */
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
