import { toPriceReference, type Address, type PriceReference } from '@paymaster/domain';
import {
  type HeldTimeLimits,
  holdTimeLimits,
  randomAddress,
  tokenListingBuilder,
  until,
} from '@paymaster/domain/testing';
import type { PriceBook } from './price-book';
import { createPriceBook, type PricingRules } from './create-price-book';
import type { PriceFault } from '../sources/price-unavailable.error';
import { HttpPriceSource } from '../sources/http/http-price.source';
import { fakeClock, PriceServer, type FakeClock, type PriceServerMode } from '../testing';
import { LocalFeeds } from '../testing/local-feeds';

const HEARTBEAT_SECONDS = 3_600;
const GRACE_SECONDS = 60;
const SEQUENCER_GRACE_SECONDS = 600;
const DAY = 86_400;
/** Shorter than the time limit of a feed. */
const API_TIMEOUT_MS = 3_000;

/**
 * Real feed contracts on a local chain and a real HTTP server. Only the time is set by the test, also that of time
 * limits.
 */
describe('createPriceBook', () => {
  let chain: LocalFeeds;
  let api: PriceServer;
  let feeds: Record<'native' | 'token' | 'sequencer', Address>;
  let now: number;
  let time: FakeClock;
  let limits: HeldTimeLimits;
  beforeAll(async () => {
    chain = await LocalFeeds.start();
    feeds = { native: await chain.deploy(8), token: await chain.deploy(18), sequencer: await chain.deploy(0) };
  }, 120_000);
  afterAll(() => chain?.stop());

  beforeEach(async () => {
    now = await chain.nowSeconds();
    time = fakeClock(now);
    const prices = { ethereum: '2412.07', 'usd-coin': '0.9998', 'other-coin': '1.2e-9' };
    api = await PriceServer.start({ prices, nowSeconds: time.nowSeconds });
    await chain.set(feeds.native, { answer: 241_207_000_000n, startedAt: now, updatedAt: now });
    await chain.set(feeds.token, { answer: 999_800_000_000_000_000n, startedAt: now, updatedAt: now });
    await chain.set(feeds.sequencer, { answer: 0n, startedAt: now - DAY, updatedAt: now });
    limits = holdTimeLimits();
  });
  afterEach(() => {
    jest.useRealTimers();
    return api.stop();
  });

  const reference = (feed: Address | null, apiId: string | null): PriceReference =>
    toPriceReference({ feed: feed && { address: feed, heartbeatSeconds: HEARTBEAT_SECONDS }, apiId });
  const listing = (price: PriceReference) => tokenListingBuilder().with('price', price).with('decimals', 6).build();

  /** A book whose token is priced by feed and API, beside one that only the API knows. */
  const compose = (rules: Partial<PricingRules> = {}, price = reference(feeds.token, 'usd-coin')) => {
    const token = listing(price);
    const other = listing(reference(null, 'other-coin'));
    const book = createPriceBook({
      rules: {
        native: reference(feeds.native, 'ethereum'),
        sequencer: { feed: feeds.sequencer, graceSeconds: SEQUENCER_GRACE_SECONDS },
        maxAgeSeconds: 60,
        feedGraceSeconds: GRACE_SECONDS,
        maxDeviationMillionths: 10_000,
        minSources: null,
        maxJumpMillionths: 500_000,
        ...rules,
      },
      tokens: [token, other],
      reader: chain,
      time,
      apis: [new HttpPriceSource({ baseUrl: api.url, timeoutMs: API_TIMEOUT_MS, clock: time.clock })],
      clock: time.clock,
    });
    const next = async (afterSeconds = 15) => {
      time.advanceSeconds(afterSeconds);
      await book.refresh();
      return [outcome(book, token), outcome(book, other)];
    };
    return { book, next };
  };

  const TOKEN_RATE = 2_412_552_511n; // ceil(2412.07 / 0.9998 * 1e6)
  const OTHER_RATE = 2_010_058_333_333_333_334n; // ceil(2412.07 / 1.2e-9 * 1e6)

  it('quotes what feed and API agree on', async () => {
    expect(await compose().next()).toEqual([TOKEN_RATE, OTHER_RATE]);
  });

  it('quotes a token with a feed in the coin, and stops with the coin', async () => {
    const coinFeed = { address: feeds.token, heartbeatSeconds: HEARTBEAT_SECONDS };
    const { next } = compose({}, toPriceReference({ coinFeed }));
    expect(await next()).toEqual([1_000_201n, OTHER_RATE]); // ceil(1 / 0.9998 * 1e6)
    await chain.set(feeds.native, { answer: 0n, startedAt: now, updatedAt: now });
    expect(await next()).toEqual(['TOO_FEW_SOURCES', 'TOO_FEW_SOURCES']);
  });

  it.each<[string, { answer: bigint; ageSeconds: number }, PriceFault]>([
    [
      'is stale by a second',
      { answer: 10n ** 18n, ageSeconds: HEARTBEAT_SECONDS + GRACE_SECONDS + 1 },
      'TOO_FEW_SOURCES',
    ],
    ['is zero', { answer: 0n, ageSeconds: 0 }, 'TOO_FEW_SOURCES'],
    ['is negative', { answer: -1n, ageSeconds: 0 }, 'TOO_FEW_SOURCES'],
    ['is ten times the API', { answer: 10n ** 19n, ageSeconds: 0 }, 'SOURCES_DISAGREE'],
    ['is 3 % off the API', { answer: 1_030_000_000_000_000_000n, ageSeconds: 0 }, 'SOURCES_DISAGREE'],
  ])('stops a token whose feed %s, and no other', async (_, { answer, ageSeconds }, fault) => {
    const { next } = compose();
    await chain.set(feeds.token, { answer, startedAt: now, updatedAt: now + 15 - ageSeconds });
    expect(await next()).toEqual([fault, OTHER_RATE]);
  });

  it('stops every token when the feed of the native coin is stale', async () => {
    const { next } = compose();
    await chain.set(feeds.native, { answer: 241_207_000_000n, startedAt: now, updatedAt: now - DAY });
    expect(await next()).toEqual(['TOO_FEW_SOURCES', 'TOO_FEW_SOURCES']);
  });

  it('uses the API alone if the operator says that one source is enough', async () => {
    const { next } = compose({ minSources: 1 });
    await chain.set(feeds.token, { answer: 0n, startedAt: now, updatedAt: now });
    expect(await next()).toEqual([TOKEN_RATE, OTHER_RATE]);
  });

  it.each<[string, { answer: bigint; upSeconds: number }]>([
    ['is down', { answer: 1n, upSeconds: DAY }],
    ['is just back', { answer: 0n, upSeconds: SEQUENCER_GRACE_SECONDS }],
  ])('stops the chain while its sequencer %s', async (_, { answer, upSeconds }) => {
    const { next } = compose();
    await chain.set(feeds.sequencer, { answer, startedAt: now + 15 - upSeconds, updatedAt: now });
    expect(await next()).toEqual(['SEQUENCER_DOWN', 'SEQUENCER_DOWN']);
  });

  it('survives an API that never answers in the same way', async () => {
    const { next } = compose();
    await next();
    api.state.mode = 'hang';
    const nextThatHangs = async () => {
      const requests = api.requests.length;
      const answer = next(30);
      await until(() => api.requests.length > requests);
      await limits.pass(API_TIMEOUT_MS);
      return answer;
    };
    expect(await nextThatHangs()).toEqual([TOKEN_RATE, OTHER_RATE]);
    expect(await nextThatHangs()).toEqual(['TOO_FEW_SOURCES', 'TOO_FEW_SOURCES']);
    api.state.mode = 'ok';
    expect(await next(30)).toEqual([TOKEN_RATE, OTHER_RATE]);
  });

  it.each<PriceServerMode>(['reset', 'http429', 'http500', 'garbage', 'hugeBody', 'wrongShape'])(
    'rides out an API in mode %s until the prices are too old, and quotes none older',
    async (mode) => {
      const { next } = compose();
      await next();
      api.state.mode = mode;
      expect(await next(30)).toEqual([TOKEN_RATE, OTHER_RATE]);
      expect(await next(30)).toEqual(['TOO_FEW_SOURCES', 'TOO_FEW_SOURCES']);
      api.state.mode = 'ok';
      expect(await next(30)).toEqual([TOKEN_RATE, OTHER_RATE]);
    },
  );

  it.each<PriceServerMode>(['stale', 'negative', 'zero', 'factor'])(
    'stops at once when the prices of the API are not to be believed: mode %s',
    async (mode) => {
      const { next } = compose();
      await next();
      api.state.mode = mode;
      expect((await next()).every((rate) => typeof rate === 'string')).toBe(true);
      api.state.mode = 'ok';
      expect(await next()).toEqual([TOKEN_RATE, OTHER_RATE]);
    },
  );

  it('quotes a token that an owner adds, and none whose feed is no contract', async () => {
    const { book, next } = compose();
    const added = listing(reference(feeds.token, null));
    const broken = listing(reference(randomAddress(), null));
    book.watch('owner', [added, broken]);
    await next();
    expect([outcome(book, added), outcome(book, broken)]).toEqual([TOKEN_RATE, 'SOURCE_FAILED']);
    expect(book.health()).toMatchObject({ stopped: [], ownersStopped: 1 });
  });

  it('counts an API id as a missing source if no API is configured', async () => {
    const token = listing(reference(feeds.token, 'usd-coin'));
    const rules: PricingRules = {
      native: reference(feeds.native, null),
      sequencer: null,
      maxAgeSeconds: 60,
      feedGraceSeconds: GRACE_SECONDS,
      maxDeviationMillionths: 10_000,
      minSources: null,
      maxJumpMillionths: 500_000,
    };
    const book = createPriceBook({ rules, tokens: [token], reader: chain, time, apis: [] });
    await book.refresh();
    expect(outcome(book, token)).toBe('TOO_FEW_SOURCES');
  });
});

function outcome(book: PriceBook, token: Parameters<PriceBook['rateOf']>[0]): bigint | PriceFault {
  try {
    return book.rateOf(token).exchangeRate;
  } catch (error) {
    return (error as { fault: PriceFault }).fault;
  }
}
