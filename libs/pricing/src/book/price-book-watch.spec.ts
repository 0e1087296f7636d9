import { setTimeout as sleep } from 'node:timers/promises';
import { apiReference } from '../testing';
import { bookOf, dai, ether, listed, usdc, USDC_RATE } from '../testing/price-book.fixture';

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
