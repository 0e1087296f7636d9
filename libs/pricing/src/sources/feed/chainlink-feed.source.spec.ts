import { randomAddress } from '@paymaster/domain/testing';
import { fakeClock, priceReferenceBuilder, ScriptedFeeds, type ScriptedRound } from '../../testing';
import type { PriceAnswer } from '../price-source';
import { ChainlinkFeedSource } from './chainlink-feed.source';

const HEARTBEAT_SECONDS = 3_600;
const GRACE_SECONDS = 300;

describe('ChainlinkFeedSource', () => {
  const time = fakeClock();
  const now = time.nowSeconds();
  const address = randomAddress();
  const asset = priceReferenceBuilder().with('feed', { address, heartbeatSeconds: HEARTBEAT_SECONDS }).build();

  const read = async (round: Partial<ScriptedRound>) => {
    const feeds = new ScriptedFeeds().set(address, { answer: 241_207_000_000n, updatedAt: now - 10, ...round });
    const [answer] = await new ChainlinkFeedSource(feeds, time, { graceSeconds: GRACE_SECONDS }).read([asset]);
    return answer;
  };

  it('reads the answer with its decimals, and vouches for it until heartbeat and grace are over', async () => {
    expect(await read({})).toEqual({
      usdE36: 241_207n * 10n ** 34n,
      ageSeconds: 0,
      validForSeconds: HEARTBEAT_SECONDS + GRACE_SECONDS - 10,
    });
    expect(await read({ answer: 7n, decimals: 18 })).toMatchObject({ usdE36: 7n * 10n ** 18n });
  });

  it.each<[string, Partial<ScriptedRound>, string]>([
    ['older than heartbeat and grace by a second', { updatedAt: now - HEARTBEAT_SECONDS - GRACE_SECONDS - 1 }, 'STALE'],
    ['of a round without an answer', { updatedAt: 0 }, 'STALE'],
    ['carried over from an earlier round', { roundId: 8n, answeredInRound: 7n }, 'STALE'],
    ['from the future', { updatedAt: now + 61 }, 'STALE'],
    ['zero', { answer: 0n }, 'NOT_POSITIVE'],
    ['negative', { answer: -1n }, 'NOT_POSITIVE'],
    ['of 37 decimals', { decimals: 37 }, 'WRONG_DECIMALS'],
  ])('does not believe an answer that is %s', async (_, round, fault) => {
    expect(await read(round)).toMatchObject({ fault, outage: false, message: expect.stringContaining(address) });
  });

  it('accepts a price that is just not stale, and one that is a block ahead of our head', async () => {
    expect(await read({ updatedAt: now - HEARTBEAT_SECONDS - GRACE_SECONDS })).toMatchObject({ validForSeconds: 0 });
    expect(await read({ updatedAt: now + 12 })).toMatchObject({ usdE36: expect.any(BigInt) });
  });

  it('has no price from an address that is not a feed, from a chain that is down, or before the chain has a time', async () => {
    const options = { graceSeconds: GRACE_SECONDS };
    const nobody = new ScriptedFeeds();
    const outage = [{ fault: 'SOURCE_FAILED', outage: true }];
    expect(await new ChainlinkFeedSource(nobody, time, options).read([asset])).toMatchObject(outage);
    nobody.isDown = true;
    expect(await new ChainlinkFeedSource(nobody, time, options).read([asset])).toMatchObject(outage);
    const feeds = new ScriptedFeeds().set(address, { answer: 1n, updatedAt: now });
    const noTime = {
      nowSeconds: () => {
        throw new Error('no block was seen');
      },
    };
    expect(await new ChainlinkFeedSource(feeds, noTime, options).read([asset])).toMatchObject(outage);
  });

  it('asks for the decimals once, and again when another aggregator stands behind the proxy', async () => {
    const feeds = new ScriptedFeeds();
    const source = new ChainlinkFeedSource(feeds, time, { graceSeconds: GRACE_SECONDS });
    const phase = (number: bigint) => (number << 64n) + 1n;
    feeds.set(address, { answer: 100n, decimals: 2, roundId: phase(1n), updatedAt: now });
    await source.read([asset]);
    await source.read([asset]);
    feeds.set(address, { answer: 1_000n, decimals: 3, roundId: phase(2n), updatedAt: now });
    expect(await source.read([asset])).toMatchObject([{ usdE36: 10n ** 36n }]);
    expect(feeds.calls.filter((call) => call.endsWith('0x313ce567'))).toHaveLength(2);
  });

  it('returns many feeds in the order of the request; a fault of one does not affect the others', async () => {
    const feeds = new ScriptedFeeds();
    const assets = Array.from({ length: 30 }, () => priceReferenceBuilder().build());
    assets.forEach(({ feed }, index) => {
      if (feed && index !== 7) feeds.set(feed.address, { answer: BigInt(index + 1), decimals: 0, updatedAt: now });
    });
    const answers = await new ChainlinkFeedSource(feeds, time, { graceSeconds: 0 }).read(assets);
    expect(answers.map((answer) => ('usdE36' in answer ? answer.usdE36 / 10n ** 36n : answer.fault))).toEqual(
      assets.map((_, index) => (index === 7 ? 'SOURCE_FAILED' : BigInt(index + 1))),
    );
  });

  describe('with feeds that never answer', () => {
    const options = { graceSeconds: 0, feedTimeoutMs: { operator: 400, owners: 40 }, roundTimeoutMs: 100 };
    const feedAsset = () => priceReferenceBuilder().build();
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    /** The result of a round after every time limit has passed. */
    const readInTold = async (source: ChainlinkFeedSource, ...asked: Parameters<ChainlinkFeedSource['read']>) => {
      const reading = source.read(...asked);
      await jest.advanceTimersByTimeAsync(10_000);
      return outcomes(await reading);
    };
    const outcomes = (answers: readonly PriceAnswer[]) =>
      answers.map((one) => ('usdE36' in one ? 'price' : one.message.replace(/^feed \S+: /, '')));

    /** Three times as many hanging feeds as are read at once, in front of a feed that answers. */
    const stuck = () => {
      const good = feedAsset();
      const feeds = new ScriptedFeeds();
      if (good.feed) feeds.set(good.feed.address, { answer: 1n, updatedAt: now });
      const assets = [...Array.from({ length: 24 }, feedAsset), good];
      for (const { feed } of assets.slice(0, -1)) if (feed) feeds.hang(feed.address);
      return { assets, source: new ChainlinkFeedSource(feeds, time, options) };
    };

    it('gives each a deadline of its own, and keeps what the others said', async () => {
      const { assets, source } = stuck();
      const last = assets.slice(-1);
      const answers = await readInTold(source, [...assets.slice(0, 15), ...last], 'owners');
      expect(answers).toEqual([...Array<string>(15).fill('no answer within 40 ms'), 'price']);
    });

    it('ends the round when its time is over, and reads the slow ones last in the next', async () => {
      const { assets, source } = stuck();
      expect((await readInTold(source, assets, 'owners')).at(-1)).toBe('others took too long, it was not asked');
      expect((await readInTold(source, assets, 'owners')).at(-1)).toBe('price');
    });

    it('waits longer for the feeds of the operator: a second node may have to be asked', async () => {
      const { assets, source } = stuck();
      expect(await readInTold(source, assets.slice(0, 1), 'operator')).toEqual(['no answer within 100 ms']);
    });
  });
});
