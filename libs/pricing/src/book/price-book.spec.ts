import { distrust, outage } from '../sources/price-source';
import { bookOf, dai, DAI_RATE, ether, MAX_AGE_SECONDS, usdc, USDC_RATE } from '../testing/price-book.fixture';

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

  it('reads nothing, however many rates are asked for', async () => {
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

describe('PriceBook.nativeUsdE36', () => {
  it('is the price of a whole coin, for as long as it is fresh', async () => {
    const { book, next, time, source } = bookOf();
    expect(() => book.nativeUsdE36()).toThrow(expect.objectContaining({ fault: 'NOT_YET_READ' }));
    await next();
    expect(book.nativeUsdE36()).toBe(2_500n * 10n ** 36n);
    source.hang();
    time.advanceSeconds(MAX_AGE_SECONDS);
    expect(() => book.nativeUsdE36()).toThrow(
      expect.objectContaining({ reason: 'PRICE_UNAVAILABLE', fault: 'STALE', details: { cause: 'STALE' } }),
    );
  });
});

describe('PriceBook, age', () => {
  it('quotes no price that is older than the bound, also when the refresh fails', async () => {
    const { time, source, next, now } = bookOf();
    await next();
    source.hang();
    time.advanceSeconds(MAX_AGE_SECONDS - 0.001);
    expect(now()).toBe(USDC_RATE);
    time.advanceSeconds(0.001);
    expect(now()).toBe('STALE');
  });

  it('is counted from the start of the reading, plus the age that the source reports', async () => {
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

  it('uses the last price during an outage, until it is too old', async () => {
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

describe('PriceBook.start', () => {
  afterEach(() => jest.useRealTimers());

  it.each([
    [60, 15],
    [20, 5],
    [600, 15],
  ])('refreshes prices that may be %d s old every %d s, until it is stopped', async (maxAgeSeconds, refreshSeconds) => {
    jest.useFakeTimers();
    const { source, book } = bookOf({ maxAgeSeconds });
    await book.start();
    await jest.advanceTimersByTimeAsync(refreshSeconds * 1_000 - 1);
    expect(source.calls).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(source.calls).toHaveLength(2);
    book.stop();
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(source.calls).toHaveLength(2);
  });
});
