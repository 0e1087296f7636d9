import { shortUsd, usdOf } from './usd';

const COIN = 10n ** 18n;

describe('usdOf', () => {
  it.each([
    [COIN, '3200.5', '3,200.50 USD'],
    [COIN / 3n, '3', '0.99 USD'],
    [COIN * 12_345n, '1.999', '24,677.65 USD'],
    [859_158_999_999_999n, '3200.5', '2.74 USD'],
    [420_000_000n, '3200.5', '0.0000013 USD'],
    [1n, '0.000001', 'below 0.000001 USD'],
    [-COIN, '2', '-2 USD'],
  ])('%s wei at %s USD are %s, and never more', (wei, price, shown) => {
    expect(usdOf(wei, price)).toBe(shown);
  });

  it.each([null, undefined, '', 'none', '1e3'])('says nothing without a price: %j', (price) => {
    expect(usdOf(COIN, price)).toBeUndefined();
  });

  it.each([
    [0n, '3200.5'],
    [COIN, '0'],
  ])('says nothing of nothing: %s wei at %s', (wei, price) => {
    expect(usdOf(wei, price)).toBeUndefined();
  });
});

describe('shortUsd', () => {
  it.each([
    ['27.80958', '27.80'],
    ['1283.749', '1,283.74'],
    ['0.00129', '0.0012'],
    ['250', '250'],
  ])('cuts %s to %s', (usd, shown) => {
    expect(shortUsd(usd)).toBe(shown);
  });
});
