import type { Address, PriceFeed, PriceReference } from '@paymaster/domain';
import { inTime } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';
import type { ChainTime } from '../chain-time';
import { toUsdE36, USD_DECIMALS } from '../../usd/usd-price';
import { distrust, outage, type PriceAnswer, type PriceRound, type PriceSource } from '../price-source';
import { readDecimals, readLatestRound, type FeedRound } from './aggregator';
import type { ContractReader } from './contract-reader';
import { mapWithLimit } from './map-with-limit';

/** How far another node may be ahead of our head; seconds. */
const MAX_AHEAD_SECONDS = 60;
/** Feeds read at the same time: a refresh should not push a gateway's own calls aside. */
const FEEDS_AT_ONCE = 8;
/**
 * How long one feed may take; milliseconds. The operator's feeds may be read through a second node when the first
 * hangs; an owner's contract is not waited for that long.
 */
const FEED_TIMEOUT_MS: Readonly<Record<PriceRound, number>> = { operator: 4_500, owners: 2_000 };
/** No further feed is read after this time of a round, so that the feeds that were read still count; milliseconds. */
const ROUND_TIMEOUT_MS = 8_000;

/**
 * Chainlink-style feeds. A feed writes when its price moves or its heartbeat is over, so its answer counts as current
 * until heartbeat and grace have passed on chain; both times are the chain's.
 */
export class ChainlinkFeedSource implements PriceSource {
  readonly name = 'feed';
  /** Decimals by feed and phase: they change only with the aggregator behind the proxy, which is a new phase. */
  private readonly decimals = new LRUCache<Address, { phase: bigint; decimals: bigint }>({ max: 5_000 });
  /**
   * Feeds that took too long at their last reading: they come last, so that the others are read before the round ends.
   */
  private readonly slow = new LRUCache<Address, true>({ max: 5_000 });

  constructor(
    private readonly reader: ContractReader,
    private readonly time: ChainTime,
    private readonly options: {
      /** How long after its heartbeat a feed's answer may still be on its way into a block; seconds. */
      readonly graceSeconds: number;
      readonly feedTimeoutMs?: Readonly<Record<PriceRound, number>>;
      readonly roundTimeoutMs?: number;
    },
  ) {}

  covers(asset: PriceReference): boolean {
    return asset.feed !== null;
  }

  async read(assets: readonly PriceReference[], round: PriceRound = 'operator'): Promise<readonly PriceAnswer[]> {
    const endMs = performance.now() + (this.options.roundTimeoutMs ?? ROUND_TIMEOUT_MS);
    const answers: PriceAnswer[] = assets.map(() => outage('the asset has no feed'));
    const named = assets.flatMap(({ feed }, index) =>
      feed ? [{ feed, index, wasSlow: this.slow.has(feed.address) }] : [],
    );
    named.sort((a, b) => Number(a.wasSlow) - Number(b.wasSlow));
    await mapWithLimit(named, FEEDS_AT_ONCE, async ({ feed, index }) => {
      answers[index] = await this.readInTime(feed, { round, endMs });
    });
    return answers;
  }

  private async readInTime(
    feed: PriceFeed,
    { round, endMs }: { round: PriceRound; endMs: number },
  ): Promise<PriceAnswer> {
    const failed = (problem: string) => outage(`feed ${feed.address}: ${problem}`);
    const leftMs = Math.floor(endMs - performance.now());
    if (leftMs <= 0) return failed('others took too long, it was not asked');
    const work = this.readFeed(feed).catch((error: unknown) => failed(messageOf(error)));
    this.slow.delete(feed.address);
    const timeouts = this.options.feedTimeoutMs ?? FEED_TIMEOUT_MS;
    const timeoutMs = Math.min(timeouts[round], leftMs);
    return inTime(work, timeoutMs, () => {
      this.slow.set(feed.address, true);
      return failed(`no answer within ${timeoutMs} ms`);
    });
  }

  private async readFeed(feed: PriceFeed): Promise<PriceAnswer> {
    const round = await readLatestRound(this.reader, feed.address);
    const about = (problem: string) => `feed ${feed.address}: ${problem}`;
    if (round.updatedAt === 0n || round.answeredInRound < round.roundId)
      return distrust('STALE', about('its newest round has no answer of its own yet'));

    const ageSeconds = this.time.nowSeconds() - Number(round.updatedAt);
    const staleAfterSeconds = feed.heartbeatSeconds + this.options.graceSeconds;
    if (ageSeconds < -MAX_AHEAD_SECONDS) return distrust('STALE', about('its answer is dated in the future'));
    if (ageSeconds > staleAfterSeconds)
      return distrust('STALE', about(`its answer is ${ageSeconds} s old, more than ${staleAfterSeconds} s`));
    if (round.answer <= 0n) return distrust('NOT_POSITIVE', about(`its answer is ${round.answer}`));

    const decimals = await this.decimalsOf(feed.address, round);
    if (decimals > BigInt(USD_DECIMALS)) return distrust('WRONG_DECIMALS', about(`it has ${decimals} decimals`));
    return {
      usdE36: toUsdE36(round.answer, Number(decimals)),
      ageSeconds: 0,
      validForSeconds: staleAfterSeconds - Math.max(0, ageSeconds),
    };
  }

  private async decimalsOf(feed: Address, { roundId }: FeedRound): Promise<bigint> {
    const phase = roundId >> 64n;
    const known = this.decimals.get(feed);
    if (known?.phase === phase) return known.decimals;
    const decimals = await readDecimals(this.reader, feed);
    this.decimals.set(feed, { phase, decimals });
    return decimals;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
