import fc from 'fast-check';
import { exchangeRate, MAX_UINT192 } from './exchange-rate';
import { parseUsdE36 } from './usd-price';

const seed = Number(process.env['TEST_SEED']);
const usd = (text: string) => parseUsdE36(text) as bigint;
const price = fc.bigInt({ min: 1n, max: 10n ** 44n });

describe('exchangeRate', () => {
  it('is base units of the token per whole coin', () => {
    const rate = exchangeRate({ tokenDecimals: 6, tokenUsdE36: usd('1'), nativeUsdE36: usd('2412.07') });
    expect(rate).toBe(2_412_070_000n);
  });

  it('rounds up: a third is paid as 334', () => {
    expect(exchangeRate({ tokenDecimals: 3, tokenUsdE36: usd('3'), nativeUsdE36: usd('1') })).toBe(334n);
  });

  it('is never zero, however dear the token', () => {
    expect(exchangeRate({ tokenDecimals: 0, tokenUsdE36: usd('1e12'), nativeUsdE36: usd('1e-12') })).toBe(1n);
  });

  it('is undefined from 2^192 on, because it is signed in 24 bytes', () => {
    const tokenUsdE36 = 1n;
    expect(exchangeRate({ tokenDecimals: 0, tokenUsdE36, nativeUsdE36: MAX_UINT192 })).toBe(MAX_UINT192);
    expect(exchangeRate({ tokenDecimals: 0, tokenUsdE36, nativeUsdE36: MAX_UINT192 + 1n })).toBeUndefined();
  });

  it('is the least integer that is worth the coin, for tokens of 0 to 36 decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 36 }), price, price, (tokenDecimals, tokenUsdE36, nativeUsdE36) => {
        const rate = exchangeRate({ tokenDecimals, tokenUsdE36, nativeUsdE36 });
        const worth = 10n ** BigInt(tokenDecimals) * nativeUsdE36;
        if (rate === undefined) return expect(worth / tokenUsdE36).toBeGreaterThanOrEqual(MAX_UINT192);
        expect(rate * tokenUsdE36).toBeGreaterThanOrEqual(worth);
        expect((rate - 1n) * tokenUsdE36).toBeLessThan(worth);
      }),
      { seed },
    );
  });
});
