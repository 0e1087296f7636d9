import type { TokenListing } from '@paymaster/domain';
import { tokenListingBuilder } from '@paymaster/domain/testing';
import { parseUsdE36 } from '../usd/usd-price';
import { offerQuote } from './offer-quote';
import { presentFeeQuote } from './present-fee-quote';
import type { TokenQuote } from './quote-token';

const quoteOf = (token: TokenListing, changes: Partial<TokenQuote> = {}): TokenQuote => ({
  token,
  exchangeRate: 2_500_000_000n,
  premiumMillionths: 1_000_000n + BigInt(token.premiumMillionths),
  maxCostWei: 10n ** 15n,
  maxChargeBaseUnits: 2_750_000n,
  tokenUsdE36: parseUsdE36('0.9991') as bigint,
  ...changes,
});
const present = (quote: TokenQuote) => presentFeeQuote(offerQuote(quote), { validUntilSeconds: 1_800_000_300 });

describe('presentFeeQuote', () => {
  it('writes every field of the interface document', () => {
    const token = tokenListingBuilder().with('symbol', 'USDC').with('logoUrl', 'https://logo').build();
    expect(present(quoteOf(token))).toEqual({
      symbol: 'USDC',
      decimal: 6,
      tokenAddress: token.address,
      maxGasFee: 2.75,
      maxGasFeeUSD: 2.747525,
      exchangeRate: 2_500_000_000n,
      premiumPercentage: '10',
      validUntil: 1_800_000_300,
      logoUrl: 'https://logo',
    });
  });

  it.each([
    [100_000, '10'],
    [75_000, '7.5'],
    [0, '0'],
    [1, '0.0001'],
    [1_000_000, '100'],
  ])('writes a premium of %d millionths as %s', (premiumMillionths, text) => {
    const token = tokenListingBuilder().with('premiumMillionths', premiumMillionths).build();
    expect(present(quoteOf(token)).premiumPercentage).toBe(text);
  });

  it('rounds the dollars up, to a millionth', () => {
    const quote = quoteOf(tokenListingBuilder().build(), { maxChargeBaseUnits: 1n, tokenUsdE36: 1n });
    expect(present(quote)).toMatchObject({ maxGasFee: 0.000001, maxGasFeeUSD: 0.000001 });
  });

  it('promises what clients approve, in tokens and in dollars, where the charge is below the smallest fee shown', () => {
    const token = tokenListingBuilder().with('decimals', 8).build();
    const quote = quoteOf(token, { maxChargeBaseUnits: 5n, tokenUsdE36: parseUsdE36('96000') as bigint });
    expect(present(quote)).toMatchObject({ maxGasFee: 0.000001, maxGasFeeUSD: 0.096 });
    expect(offerQuote(quote).ceilingBaseUnits).toBe(100n);
  });

  it('promises the charge itself where the number shown is exact', () => {
    expect(offerQuote(quoteOf(tokenListingBuilder().build())).ceilingBaseUnits).toBe(2_750_000n);
  });

  it('keeps every digit of a long rate', () => {
    const quote = quoteOf(tokenListingBuilder().build(), { exchangeRate: 232_808_808_808_808_800_000_001n });
    expect(present(quote).exchangeRate.toString()).toBe('232808808808808800000001');
  });

  it('writes an empty text where the token has no logo', () => {
    expect(present(quoteOf(tokenListingBuilder().with('logoUrl', null).build())).logoUrl).toBe('');
  });
});
