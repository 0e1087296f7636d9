import type { PriceReference } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';
import { assetKey, isPrice, type PriceAnswer, type PriceRound, type PriceSource } from './price-source';

const MAX_ASSETS = 5_000;

interface Reading {
  readonly startedAtMs: number;
  readonly answer: Promise<PriceAnswer>;
}

/**
 * Asks its source at most once per `ttlSeconds` for an asset. Several chains of one process share it, so an API with a
 * rate limit is asked once for all of them. Callers that ask meanwhile wait for the same answer. A kept price ages;
 * problems are not kept.
 */
export class CachedPriceSource implements PriceSource {
  readonly name: string;
  private readonly readings = new LRUCache<string, Reading>({ max: MAX_ASSETS });
  private readonly ttlMs: number;
  private readonly clock: MonotonicClock;

  /** @param options.ttlSeconds shorter than any refresh interval, because only new readings confirm a jump */
  constructor(
    private readonly source: PriceSource,
    options: { ttlSeconds: number; clock?: MonotonicClock },
  ) {
    this.name = source.name;
    this.ttlMs = options.ttlSeconds * 1_000;
    this.clock = options.clock ?? monotonicClock;
  }

  covers(asset: PriceReference): boolean {
    return this.source.covers(asset);
  }

  async read(assets: readonly PriceReference[], round?: PriceRound): Promise<readonly PriceAnswer[]> {
    const startedAtMs = this.clock();
    const kept = assets.map((asset) => this.fresh(asset, startedAtMs));
    const missing = assets.filter((_, index) => !kept[index]);
    const asked = this.ask(missing, { round, startedAtMs });
    return Promise.all(kept.map((reading) => this.aged(reading ?? (asked.shift() as Reading))));
  }

  private fresh(asset: PriceReference, nowMs: number): Reading | undefined {
    const reading = this.readings.get(assetKey(asset));
    return reading && nowMs - reading.startedAtMs < this.ttlMs ? reading : undefined;
  }

  private ask(
    assets: readonly PriceReference[],
    { round, startedAtMs }: { round: PriceRound | undefined; startedAtMs: number },
  ): Reading[] {
    if (assets.length === 0) return [];
    const answers = this.source.read(assets, round);
    return assets.map((asset, index) => {
      const key = assetKey(asset);
      const reading = { startedAtMs, answer: answers.then((all) => all[index] as PriceAnswer) };
      this.readings.set(key, reading);
      void reading.answer.then((answer) => {
        if (!isPrice(answer) && this.readings.peek(key) === reading) this.readings.delete(key);
      });
      return reading;
    });
  }

  private async aged(reading: Reading): Promise<PriceAnswer> {
    const answer = await reading.answer;
    if (!isPrice(answer)) return answer;
    const keptSeconds = (this.clock() - reading.startedAtMs) / 1_000;
    return {
      ...answer,
      ageSeconds: answer.ageSeconds + keptSeconds,
      validForSeconds: answer.validForSeconds - keptSeconds,
    };
  }
}
