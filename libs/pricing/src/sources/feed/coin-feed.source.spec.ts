import { randomAddress } from '@paymaster/domain/testing';
import { fakeClock, priceReferenceBuilder, ScriptedFeeds, type ScriptedRound } from '../../testing';
import { FixedPriceSource } from '../fixed-price.source';
import { outage, type PriceSource } from '../price-source';
import { ChainlinkFeedSource } from './chainlink-feed.source';
import { CoinFeedSource } from './coin-feed.source';

describe('CoinFeedSource', () => {
  const time = fakeClock();
  const updatedAt = time.nowSeconds() - 10;
  const address = randomAddress();
  const coinFeed = { address, heartbeatSeconds: 86_400 };
  const asset = priceReferenceBuilder().with('feed', null).with('coinFeed', coinFeed).build();
  const read = async (round: Partial<ScriptedRound>, coinUsd = '3000') => {
    const feeds = new ScriptedFeeds().set(address, { answer: 1_183n * 10n ** 15n, decimals: 18, updatedAt, ...round });
    const reader = new ChainlinkFeedSource(feeds, time, { graceSeconds: 300 });
    const reference = priceReferenceBuilder().with('feed', null).with('fixedUsd', coinUsd).build();
    const [answer] = await new CoinFeedSource(reader, { reference, source: new FixedPriceSource() }).read([asset]);
    return answer;
  };

  it('is the answer of the feed times the price of the coin, for as long as both hold', async () => {
    expect(await read({})).toMatchObject({ usdE36: 3_549n * 10n ** 36n, validForSeconds: 86_400 + 300 - 10 });
  });

  it('is asked for in the round of its owner, also the price of the coin', async () => {
    const rounds: unknown[] = [];
    const noting: PriceSource = {
      name: 'noting',
      covers: () => true,
      read: (assets, round) => (rounds.push(round), Promise.resolve(assets.map(() => outage('not asked')))),
    };
    await new CoinFeedSource(noting, { reference: asset, source: noting }).read([asset], 'owners');
    expect(rounds).toEqual(['owners', 'owners']);
  });

  it('is rounded down', async () => {
    expect(await read({ answer: 1n, decimals: 36 }, '0.3')).toMatchObject({ usdE36: 0n });
  });

  it.each<[string, Partial<ScriptedRound>, string, object]>([
    ['whose feed is stale', { updatedAt: 1 }, '3000', { fault: 'STALE', outage: false }],
    [
      'whose coin has none',
      {},
      '0',
      { fault: 'NOT_POSITIVE', message: expect.stringContaining('the coin’s own price') },
    ],
  ])('has no price of a token %s', async (_, round, coinUsd, problem) => {
    expect(await read(round, coinUsd)).toMatchObject(problem);
  });

  it('covers what names it, and nothing else', () => {
    const source = new CoinFeedSource(new FixedPriceSource(), { reference: asset, source: new FixedPriceSource() });
    expect([asset, priceReferenceBuilder().build()].map((each) => source.covers(each))).toEqual([true, false]);
  });
});
