import { apiReference } from '../testing';
import { bookOf, dai, ether, listed, usdc, USDC_RATE } from '../testing/price-book.fixture';

describe('PriceBook.watch', () => {
  afterEach(() => jest.useRealTimers());

  const owners = listed(apiReference('owners-token'));

  it('reads a new token before the next round, and only that one', async () => {
    jest.useFakeTimers();
    const { source, book, now } = bookOf({ refreshSeconds: 3_600 });
    source.set(owners.price, '2');
    await book.start();
    book.watch('owner', [owners]);
    await jest.advanceTimersByTimeAsync(1_000);
    book.stop();
    expect(now(owners)).toBe(1_250_000_000n);
    expect(source.calls.slice(1)).toEqual([[owners.price]]);
  });

  it('reads an asset once, however many tokens (or the native coin) use it', async () => {
    const { source, book, next } = bookOf();
    const wrapped = listed(ether, 18);
    book.watch('owner', [listed(usdc.price), listed(usdc.price, 8), wrapped]);
    expect(await next([wrapped])).toEqual([10n ** 18n]);
    expect(source.calls).toEqual([[ether, usdc.price, dai.price]]);
  });

  it('has the rate of a token at once when its asset is known', async () => {
    const { book, next, now } = bookOf();
    await next();
    const bridged = listed(usdc.price, 8);
    book.watch('owner', [bridged]);
    expect(now(bridged)).toBe(USDC_RATE * 100n);
  });

  it('keeps the prices of two owners for the same token apart', async () => {
    const { source, book, next } = bookOf();
    const cheap = { ...usdc, price: apiReference('cheap') };
    source.set(cheap.price, '0.1');
    book.watch('owner', [cheap]);
    expect(await next([usdc, cheap])).toEqual([USDC_RATE, USDC_RATE * 10n]);
  });

  it('has no price for a token that was not named', async () => {
    const { source, next } = bookOf();
    source.set(owners.price, '2');
    await next();
    expect(await next([owners])).toEqual(['NOT_YET_READ']);
    expect(source.calls.flat()).not.toContain(owners.price);
  });

  it('drops lists that were not used for an hour, but never the operators tokens', async () => {
    const { source, book, next } = bookOf();
    source.set(owners.price, '2');
    book.watch('owner', [owners]);
    await next([owners], 15);
    await next([], 3_585);
    expect(book.health().tokens).toBe(3);
    await next([], 1);
    expect(book.health().tokens).toBe(2);
    await next([], 7_200);
    expect(source.calls.at(-1)).toEqual([ether, usdc.price, dai.price]);
  });

  it('keeps lists that are used within the hour', async () => {
    const { source, book, next } = bookOf();
    source.set(owners.price, '2');
    const list = [owners];
    for (let hours = 0; hours < 3; hours++) {
      book.watch('owner', list);
      expect(await next([owners], 3_600)).toEqual([1_250_000_000n]);
    }
  });

  it('counts one token for an owner who changes it 2,000 times', async () => {
    const { source, book, next } = bookOf({ maxTokens: 4 });
    source.set(owners.price, '2');
    book.watch('other', [owners]);
    for (let change = 0; change < 2_000; change++) book.watch('restless', [listed(apiReference(`price-${change}`))]);
    expect(await next([owners])).toEqual([1_250_000_000n]);
    expect(book.health().tokens).toBe(4);
    expect(source.calls.flat()).toHaveLength(5);
  });

  it('drops what an owner takes off the list at once, unless another lists it too', async () => {
    const { source, book, next } = bookOf();
    const shared = listed(apiReference('shared'));
    source.set(owners.price, '2').set(shared.price, '2');
    book.watch('a', [owners, shared]);
    book.watch('b', [shared]);
    await next();
    book.watch('a', []);
    expect(await next([owners, shared])).toEqual(['NOT_YET_READ', 1_250_000_000n]);
    book.watch('b', []);
    expect(book.health().tokens).toBe(2);
  });

  it('takes 100 tokens of an owner', () => {
    const { book } = bookOf();
    book.watch(
      'greedy',
      Array.from({ length: 150 }, () => listed(apiReference())),
    );
    expect(book.health().tokens).toBe(102);
  });

  it('makes room by dropping the least recently used owner, but never the operators tokens', async () => {
    const { source, book, next } = bookOf({ maxTokens: 4 });
    const lists = ['a', 'b', 'c'].map((name) => [listed(apiReference(name))]);
    for (const [token] of lists) source.set(token?.price ?? ether, '2');
    const [a, b, c] = lists;
    if (!a || !b || !c) throw new Error('three lists');
    book.watch('a', a);
    book.watch('b', b);
    book.watch('a', a);
    book.watch('c', c);
    const [rateA, rateB, rateC, rateUsdc] = await next([...a, ...b, ...c, usdc]);
    expect([rateA, rateB, rateC, rateUsdc]).toEqual([1_250_000_000n, 'NOT_YET_READ', 1_250_000_000n, USDC_RATE]);
  });

  it('reads in the owners rounds only tokens that the operator does not price', async () => {
    const { source, book, next } = bookOf();
    book.watch('owner', [usdc, listed(dai.price, 8), owners]);
    await next();
    expect(source.calls).toEqual([[ether, usdc.price, dai.price], [owners.price]]);
    expect(source.rounds).toEqual(['operator', 'owners']);
    expect(book.health().tokens).toBe(4);
  });

  it('keeps the operators prices on time when the owners round never ends', async () => {
    jest.useFakeTimers();
    const { source, time, book, now } = bookOf({ refreshSeconds: 15 });
    const read = source.read.bind(source);
    source.read = (assets, round) => (round === 'owners' ? new Promise(() => undefined) : read(assets, round));
    await book.start();
    book.watch('slow', [owners]);
    await jest.advanceTimersByTimeAsync(15_000);
    time.advanceSeconds(61);
    await jest.advanceTimersByTimeAsync(15_000);
    book.stop();
    expect([now(usdc), now(owners)]).toEqual([USDC_RATE, 'NOT_YET_READ']);
  });
});
