import { distrust, outage } from '../sources/price-source';
import { QuorumPriceSource } from '../sources/quorum/quorum-price.source';
import { apiReference, ScriptedPriceSource } from '../testing';
import { bookOf, dai, ether, listed, MAX_AGE_SECONDS, usdc } from '../testing/price-book.fixture';
import type { PriceBook } from './price-book';

const pricesOf = (book: PriceBook) =>
  book.report().prices.map(({ token, isUsable, ageSeconds }) => [token?.address ?? null, isUsable, ageSeconds]);

describe('PriceBook.report', () => {
  it("has the native coin and the operator's tokens, before anything was read too", () => {
    expect(pricesOf(bookOf().book)).toEqual([
      [null, false, undefined],
      [usdc.address, false, undefined],
      [dai.address, false, undefined],
    ]);
  });

  it('has the age of the last accepted price, also when it may no longer be used', async () => {
    const { book, source, next, time } = bookOf();
    source.set(usdc.price, { usdE36: 10n ** 36n, ageSeconds: 20, validForSeconds: Infinity });
    await next();
    time.advanceSeconds(5);
    expect(pricesOf(book)).toEqual([[null, true, 5], [usdc.address, true, 25], [dai.address, true, 5]]); // prettier-ignore
    source.set(usdc.price, outage('nobody answers')).set(dai.price, distrust('NOT_POSITIVE', 'it is -1'));
    await next([], 10);
    expect(pricesOf(book)).toEqual([[null, true, 0], [usdc.address, true, 35], [dai.address, false, 15]]); // prettier-ignore
    await next([], MAX_AGE_SECONDS);
    expect(pricesOf(book)).toContainEqual([usdc.address, false, 35 + MAX_AGE_SECONDS]);
  });

  it('shows tokens as stopped when the native coin has no price', async () => {
    const { book, source, next } = bookOf();
    source.set(ether, distrust('NOT_POSITIVE', 'it is -1'));
    await next();
    expect(pricesOf(book).map(([, isUsable]) => isUsable)).toEqual([false, false, false]);
  });

  it('does not grow with owners’ tokens', async () => {
    const { book, source, next } = bookOf();
    await next();
    const before = book.report();
    const own = Array.from({ length: 50 }, () => listed(apiReference()));
    for (const { price } of own.slice(0, 25)) source.set(price, '3');
    book.watch('an owner', own);
    await next(own);
    expect(book.report()).toEqual(before);
  });

  it('counts for how many prices each source was left out', async () => {
    const sources = ['a', 'b', 'c'].map((name) =>
      new ScriptedPriceSource(name).set(ether, '2500').set(usdc.price, '1').set(dai.price, '1'),
    );
    const [, far, silent] = sources as [ScriptedPriceSource, ScriptedPriceSource, ScriptedPriceSource];
    const rules = { maxDeviationMillionths: 10_000, minSources: 1, maxAgeSeconds: MAX_AGE_SECONDS };
    const { book, next } = bookOf({ source: new QuorumPriceSource(sources, rules), parts: sources });
    const leftOut = () => Object.fromEntries(book.report().sources.map((each) => [each.source, each.leftOut]));
    await next();
    expect(leftOut()).toEqual({ a: 0, b: 0, c: 0 });
    far.set(usdc.price, '1.5');
    silent.set(ether, outage('c: HTTP 500')).set(dai.price, outage('c: HTTP 500'));
    await next();
    expect(leftOut()).toEqual({ a: 0, b: 1, c: 2 });
  });

  it("has only sources that the operator's prices name", async () => {
    const source = new ScriptedPriceSource('used').set(ether, '2500');
    const unused = Object.assign(new ScriptedPriceSource('unused'), { covers: () => false });
    const { book, next } = bookOf({ source, parts: [source, unused] });
    await next();
    expect(book.report().sources.map((each) => each.source)).toEqual(['used']);
  });
});
