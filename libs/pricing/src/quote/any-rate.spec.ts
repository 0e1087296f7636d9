import { tokenListingBuilder } from '@paymaster/domain/testing';
import fc from 'fast-check';
import { PriceUnavailableError } from '../sources/price-unavailable.error';
import { exchangeRate } from '../usd/exchange-rate';
import { offerQuote } from './offer-quote';
import { presentFeeQuote } from './present-fee-quote';
import { quoteToken } from './quote-token';

const seed = Number(process.env['TEST_SEED']);
const price = fc.bigInt({ min: 10n ** 18n, max: 10n ** 54n });

describe('a quote at any rate that the book gives out', () => {
  it('can be shown, or is refused as out of range: never another error, never NaN or infinity', () => {
    const inputs = fc.record({
      decimals: fc.integer({ min: 0, max: 36 }),
      tokenUsdE36: fc.oneof(price, fc.constantFrom(10n ** 18n, 10n ** 54n)),
      nativeUsdE36: fc.oneof(price, fc.constantFrom(10n ** 18n, 10n ** 54n)),
      maxCostWei: fc.bigInt({ min: 0n, max: 10n ** 24n }),
    });
    fc.assert(
      fc.property(inputs, ({ decimals, maxCostWei, ...prices }) => {
        const rate = exchangeRate({ tokenDecimals: decimals, ...prices });
        if (rate === undefined) return;
        const token = tokenListingBuilder().with('decimals', decimals).build();
        try {
          const quote = quoteToken({ token, rate: { exchangeRate: rate, ...prices }, maxCostWei });
          const shown = presentFeeQuote(offerQuote(quote), { validUntilSeconds: 1 });
          expect([shown.maxGasFee, shown.maxGasFeeUSD].every(Number.isFinite)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(PriceUnavailableError);
        }
      }),
      { seed },
    );
  });
});
