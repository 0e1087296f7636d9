import { tokenListingBuilder } from '@paymaster/domain/testing';
import fc from 'fast-check';
import { exchangeRate, MAX_UINT192 } from '../usd/exchange-rate';
import { parseUsdE36 } from '../usd/usd-price';
import { quoteToken } from './quote-token';

const seed = Number(process.env['TEST_SEED']);
const usd = (text: string) => parseUsdE36(text) as bigint;
const rateOf = (tokenDecimals: number, tokenUsdE36: bigint, nativeUsdE36: bigint) => ({
  exchangeRate: exchangeRate({ tokenDecimals, tokenUsdE36, nativeUsdE36 }) as bigint,
  tokenUsdE36,
  nativeUsdE36,
});

describe('quoteToken', () => {
  it('charges cost times rate times premium, rounded up', () => {
    const token = tokenListingBuilder().with('decimals', 6).with('premiumMillionths', 100_000).build();
    const quote = quoteToken({ token, rate: rateOf(6, usd('1'), usd('2500')), maxCostWei: 1_000_000_000_000_001n });
    expect(quote).toMatchObject({ exchangeRate: 2_500_000_000n, premiumMillionths: 1_100_000n });
    expect(quote.maxChargeBaseUnits).toBe(2_750_001n);
  });

  it('asks for one base unit at least: the contract takes no ceiling of zero', () => {
    const token = tokenListingBuilder().build();
    expect(quoteToken({ token, rate: rateOf(6, usd('1'), usd('2500')), maxCostWei: 0n }).maxChargeBaseUnits).toBe(1n);
  });

  it('refuses a charge that does not fit the 192 bits it is signed in', () => {
    const token = tokenListingBuilder().build();
    const rate = { exchangeRate: MAX_UINT192, tokenUsdE36: 1n, nativeUsdE36: 1n };
    expect(() => quoteToken({ token, rate, maxCostWei: 10n ** 18n })).toThrow(
      expect.objectContaining({ fault: 'RATE_OUT_OF_RANGE' }),
    );
  });

  it('never takes less than the cost is worth, and at most two units more, for 0 to 36 decimals', () => {
    const price = fc.bigInt({ min: 10n ** 30n, max: 10n ** 41n });
    const cost = fc.bigInt({ min: 1n, max: 10n ** 18n });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 36 }), price, price, cost, (decimals, tokenUsd, nativeUsd, maxCostWei) => {
        const token = tokenListingBuilder().with('decimals', decimals).with('premiumMillionths', 0).build();
        const { maxChargeBaseUnits } = quoteToken({ token, rate: rateOf(decimals, tokenUsd, nativeUsd), maxCostWei });
        const paid = maxChargeBaseUnits * tokenUsd * 10n ** 18n;
        const worth = maxCostWei * nativeUsd * 10n ** BigInt(decimals);
        expect(paid).toBeGreaterThanOrEqual(worth);
        expect(paid - worth).toBeLessThan(2n * tokenUsd * 10n ** 18n);
      }),
      { seed, numRuns: 1_000 },
    );
  });
});
