import type { PriceReference } from '@paymaster/domain';
import { tokenListingBuilder } from '@paymaster/domain/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PriceFault } from '../price-unavailable.error';
import { distrust, outage, type PriceProblem } from '../sources/price-source';
import { apiReference, fakeClock, ScriptedPriceSource } from '../testing';
import type { PricingFault } from './fault-reporter';
import { PriceBook, type PriceBookOptions } from './price-book';

const MAX_AGE_SECONDS = 60;
const ether = apiReference('ethereum');
const listed = (price: PriceReference, decimals = 6) =>
  tokenListingBuilder().with('price', price).with('decimals', decimals).build();
const usdc = listed(apiReference('usd-coin'));
const dai = listed(apiReference('dai'), 18);

function bookOf(options: Partial<PriceBookOptions> = {}) {
  const time = fakeClock();
  const faults: PricingFault[] = [];
  const source = new ScriptedPriceSource().set(ether, '2500').set(usdc.price, '1').set(dai.price, '1');
  const book = new PriceBook({
    native: ether,
    tokens: [usdc, dai],
    source,
    sequencer: null,
    maxAgeSeconds: MAX_AGE_SECONDS,
    maxJumpMillionths: 200_000,
    clock: time.clock,
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  /** One refresh later: the fault of each token, or its rate. */
  const next = async (tokens = [usdc, dai], afterSeconds = 15) => {
    time.advanceSeconds(afterSeconds);
    await book.refresh();
    return tokens.map((token) => now(token));
  };
  const now = (token = usdc): bigint | PriceFault => {
    try {
      return book.rateOf(token).exchangeRate;
    } catch (error) {
      return (error as { fault: PriceFault }).fault;
    }
  };
  return { time, faults, source, book, next, now };
}

const USDC_RATE = 2_500_000_000n;
const DAI_RATE = 2_500n * 10n ** 18n;

describe('PriceBook.rateOf', () => {
  it('is base units per 1e18 wei at the prices that were read', async () => {
    const { book, next } = bookOf();
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    expect(book.rateOf(usdc)).toEqual({
      exchangeRate: USDC_RATE,
      tokenUsdE36: 10n ** 36n,
      nativeUsdE36: 2_500n * 10n ** 36n,
    });
  });

  it('has nothing before the first refresh', () => {
    expect(bookOf().now()).toBe('NOT_YET_READ');
  });

  it('asks nobody: any number of rates costs no reading', async () => {
    const { source, next, now } = bookOf();
    await next();
    for (let index = 0; index < 1_000; index += 1) now();
    expect(source.calls).toHaveLength(1);
  });

  it('names token and cause, and no source, to the client', async () => {
    const { source, book, next } = bookOf();
    source.set(usdc.price, distrust('NOT_POSITIVE', 'api.example: the price is -1'));
    await next();
    expect(() => book.rateOf(usdc)).toThrow(
      expect.objectContaining({
        reason: 'PRICE_UNAVAILABLE',
        details: { token: usdc.address, cause: 'NOT_POSITIVE' },
        message: expect.not.stringContaining('api.example'),
      }),
    );
  });
});

describe('PriceBook, age', () => {
  it('quotes no price that is older than the bound, whatever becomes of the refresh', async () => {
    const { time, source, next, now } = bookOf();
    await next();
    source.hang();
    time.advanceSeconds(MAX_AGE_SECONDS - 0.001);
    expect(now()).toBe(USDC_RATE);
    time.advanceSeconds(0.001);
    expect(now()).toBe('STALE');
  });

  it('counts from when the reading began, and the age that the source admits', async () => {
    const { time, source, next, now } = bookOf();
    source.set(usdc.price, { usdE36: 10n ** 36n, ageSeconds: 20, validForSeconds: Infinity });
    await next();
    time.advanceSeconds(39);
    expect([now(usdc), now(dai)]).toEqual([USDC_RATE, DAI_RATE]);
    time.advanceSeconds(1);
    expect([now(usdc), now(dai)]).toEqual(['STALE', DAI_RATE]);
  });

  it('stops when the source no longer vouches for the price', async () => {
    const { time, source, next, now } = bookOf();
    source.set(usdc.price, { usdE36: 10n ** 36n, ageSeconds: 0, validForSeconds: 10 });
    await next();
    time.advanceSeconds(10);
    expect([now(usdc), now(dai)]).toEqual(['STALE', DAI_RATE]);
  });

  it('refuses a price that is too old when it is read', async () => {
    const { source, next } = bookOf();
    source.set(usdc.price, { usdE36: 10n ** 36n, ageSeconds: MAX_AGE_SECONDS, validForSeconds: Infinity });
    expect(await next()).toEqual(['STALE', DAI_RATE]);
  });

  it('rides out an outage on the last price, until that is too old', async () => {
    const { source, next, faults } = bookOf();
    await next();
    source.set(ether, outage('api: HTTP 429'));
    expect(await next([usdc], 15)).toEqual([USDC_RATE]);
    expect(await next([usdc], 44)).toEqual([USDC_RATE]);
    expect(await next([usdc], 1)).toEqual(['SOURCE_FAILED']);
    expect(faults).toEqual([
      { subject: 'native coin', source: null, fault: 'SOURCE_FAILED', message: 'api: HTTP 429' },
    ]);
  });
});

describe('PriceBook, faults', () => {
  it.each<PriceFault>(['STALE', 'NOT_POSITIVE', 'SOURCES_DISAGREE', 'TOO_FEW_SOURCES', 'WRONG_DECIMALS'])(
    'stops a token at once when its price is %s, and leaves the others',
    async (fault) => {
      const { source, next } = bookOf();
      await next();
      source.set(usdc.price, distrust(fault, 'because'));
      expect(await next()).toEqual([fault, DAI_RATE]);
      source.set(usdc.price, '1');
      expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    },
  );

  it('stops every token when the native coin has no price', async () => {
    const { source, next } = bookOf();
    await next();
    source.set(ether, distrust('SOURCES_DISAGREE', 'because'));
    expect(await next()).toEqual(['SOURCES_DISAGREE', 'SOURCES_DISAGREE']);
  });

  it.each(['0', '-1'])('does not take %s for a price, whichever source says it', async (price) => {
    const { source, next } = bookOf();
    source.set(usdc.price, price);
    expect(await next()).toEqual(['NOT_POSITIVE', DAI_RATE]);
  });

  it('stops a jump of ten times at once, and believes it at the third reading', async () => {
    const { source, next } = bookOf();
    await next();
    source.set(usdc.price, '10');
    expect(await next()).toEqual(['JUMPED', DAI_RATE]);
    expect(await next()).toEqual(['JUMPED', DAI_RATE]);
    expect(await next()).toEqual([USDC_RATE / 10n, DAI_RATE]);
  });

  it('stops a rate that does not fit the contract', async () => {
    const { source, next, faults } = bookOf();
    source.set(dai.price, '1e-36').set(ether, '1e15');
    expect(await next()).toEqual([10n ** 21n, 'RATE_OUT_OF_RANGE']);
    expect(faults).toMatchObject([{ subject: dai.symbol, fault: 'RATE_OUT_OF_RANGE' }]);
  });

  it('survives a source that throws', async () => {
    const { source, next } = bookOf();
    source.read = () => Promise.reject(new Error('a bug'));
    expect(await next()).toEqual(['SOURCE_FAILED', 'SOURCE_FAILED']);
  });

  it('tells a fault once, and again when it comes back', async () => {
    const { source, next, faults } = bookOf();
    const broken = distrust('STALE', 'old');
    for (const answer of [broken, broken, '1', broken]) {
      source.set(usdc.price, answer);
      await next();
    }
    expect(faults).toEqual(Array(2).fill({ subject: usdc.symbol, source: null, fault: 'STALE', message: 'old' }));
  });

  it('tells of a source that was dropped though the token is still priced', async () => {
    const { source, next, faults } = bookOf();
    const dropped = { source: 'feed', ...distrust('SOURCES_DISAGREE', 'feed: too far') };
    source.set(usdc.price, { usdE36: 10n ** 36n, ageSeconds: 0, validForSeconds: 60, without: [dropped] });
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    expect(faults).toMatchObject([{ subject: usdc.symbol, source: 'feed', fault: 'SOURCES_DISAGREE' }]);
  });

  it('says in its health report which tokens are stopped and why', async () => {
    const { source, book, next } = bookOf();
    source.set(usdc.price, distrust('STALE', 'feed 0x12: its answer is 4000 s old'));
    await next();
    const { address, symbol } = usdc;
    expect(book.health()).toEqual({
      tokens: 2,
      stopped: [{ address, symbol, fault: 'STALE', message: 'feed 0x12: its answer is 4000 s old' }],
      faults: [{ subject: symbol, source: null, fault: 'STALE', message: 'feed 0x12: its answer is 4000 s old' }],
    });
  });
});

describe('PriceBook, sequencer', () => {
  const withSequencer = () => {
    const state: { problem: PriceProblem | undefined } = { problem: undefined };
    return { state, ...bookOf({ sequencer: { check: () => Promise.resolve(state.problem) } }) };
  };

  it('stops the whole chain while it is down, and quotes again after', async () => {
    const { state, next } = withSequencer();
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    state.problem = distrust('SEQUENCER_DOWN', 'down');
    expect(await next()).toEqual(['SEQUENCER_DOWN', 'SEQUENCER_DOWN']);
    state.problem = undefined;
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
  });

  it('quotes nothing before it was read, nor when it could not be read for too long', async () => {
    const { state, next } = withSequencer();
    state.problem = outage('no node answers');
    expect(await next()).toEqual(['SEQUENCER_DOWN', 'SEQUENCER_DOWN']);
    state.problem = undefined;
    await next();
    state.problem = outage('no node answers');
    expect(await next([usdc], 59)).toEqual([USDC_RATE]);
    expect(await next([usdc], 1)).toEqual(['SEQUENCER_DOWN']);
  });
});

describe('PriceBook.watch', () => {
  const owners = listed(apiReference('owners-token'));

  it('reads a new token before the next round, and only that one', async () => {
    const { source, book, now } = bookOf({ refreshSeconds: 3_600 });
    source.set(owners.price, '2');
    await book.start();
    book.watch([owners]);
    await sleep(60);
    book.stop();
    expect(now(owners)).toBe(1_250_000_000n);
    expect(source.calls.slice(1)).toEqual([[owners.price]]);
  });

  it('reads an asset once, however many tokens it stands for, the native coin among them', async () => {
    const { source, book, next } = bookOf();
    const wrapped = listed(ether, 18);
    book.watch([listed(usdc.price), listed(usdc.price, 8), wrapped]);
    expect(await next([wrapped])).toEqual([10n ** 18n]);
    expect(source.calls).toEqual([[ether, usdc.price, dai.price]]);
  });

  it('has the rate of a token at once when its asset is known', async () => {
    const { book, next, now } = bookOf();
    await next();
    const bridged = listed(usdc.price, 8);
    book.watch([bridged]);
    expect(now(bridged)).toBe(USDC_RATE * 100n);
  });

  it('keeps two owners apart who price the same token differently', async () => {
    const { source, book, next } = bookOf();
    const cheap = { ...usdc, price: apiReference('cheap') };
    source.set(cheap.price, '0.1');
    book.watch([cheap]);
    expect(await next([usdc, cheap])).toEqual([USDC_RATE, USDC_RATE * 10n]);
  });

  it('watches a token that is asked for without having been named', async () => {
    const { source, next, now } = bookOf();
    source.set(owners.price, '2');
    await next();
    expect(now(owners)).toBe('NOT_YET_READ');
    expect(await next([owners])).toEqual([1_250_000_000n]);
  });

  it('drops what nobody asked about for an hour, never the operators own', async () => {
    const { source, book, next } = bookOf();
    source.set(owners.price, '2');
    book.watch([owners]);
    await next([owners], 15);
    await next([], 3_600);
    expect(book.health().tokens).toBe(3);
    await next([], 1);
    expect(book.health().tokens).toBe(2);
    await next([], 7_200);
    expect(source.calls.at(-1)).toEqual([ether, usdc.price, dai.price]);
  });

  it('takes no more tokens than it has room for, and keeps those it has', async () => {
    const { source, book, next } = bookOf({ maxTokens: 3 });
    const late = listed(apiReference('late'));
    source.set(owners.price, '2').set(late.price, '3');
    book.watch([owners, late]);
    expect(await next([usdc, owners, late])).toEqual([USDC_RATE, 1_250_000_000n, 'NOT_YET_READ']);
  });
});

describe('PriceBook.start', () => {
  it('refreshes in the background until it is stopped', async () => {
    const { source, book } = bookOf({ refreshSeconds: 0.005 });
    await book.start();
    await sleep(60);
    book.stop();
    const calls = source.calls.length;
    await sleep(30);
    expect(calls).toBeGreaterThan(2);
    expect(source.calls).toHaveLength(calls);
  });
});
