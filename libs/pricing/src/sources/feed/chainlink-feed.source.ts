import type { Address, PriceFeed, PriceReference } from '@paymaster/domain';
import { LRUCache } from 'lru-cache';
import type { ChainTime } from '../../clock';
import { toUsdE36, USD_DECIMALS } from '../../usd/usd-price';
import { distrust, outage, type PriceAnswer, type PriceSource } from '../price-source';
import { readDecimals, readLatestRound, type FeedRound } from './aggregator';
import type { ContractReader } from './contract-reader';
import { mapWithLimit } from './map-with-limit';

/** How far ahead of the head we know another node may be. */
const MAX_AHEAD_SECONDS = 60;
/** Feeds read at the same time: a refresh should not push a gateway's own calls aside. */
const FEEDS_AT_ONCE = 8;

/**
 * Chainlink-style feeds. A feed writes when its price moves or its heartbeat is over, so its answer counts as current
 * until heartbeat and grace have passed on chain; both times are the chain's.
 */
export class ChainlinkFeedSource implements PriceSource {
  readonly name = 'feed';
  /** Decimals by feed and phase: they can only change with the aggregator behind the proxy, which is a new phase. */
  private readonly decimals = new LRUCache<Address, { phase: bigint; decimals: bigint }>({ max: 5_000 });

  constructor(
    private readonly reader: ContractReader,
    private readonly time: ChainTime,
    /** How long after its heartbeat a feed may still be on its way into a block; seconds. */
    private readonly options: { graceSeconds: number },
  ) {}

  covers(asset: PriceReference): boolean {
    return asset.feed !== null;
  }

  async read(assets: readonly PriceReference[]): Promise<readonly PriceAnswer[]> {
    return mapWithLimit(assets, FEEDS_AT_ONCE, async ({ feed }) => {
      if (!feed) return outage('the asset has no feed');
      return this.readFeed(feed).catch((error: unknown) => outage(`feed ${feed.address}: ${messageOf(error)}`));
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
