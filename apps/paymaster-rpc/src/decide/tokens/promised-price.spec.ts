import { randomAddress } from '@paymaster/domain/testing';
import { promisedPrice } from './promised-price';
import { LiveQuotes, type QuotedPrice } from '../../chains/quotes/live-quotes';

const NOW = 1_800_000_000;
const [sender, quoted, other] = [randomAddress(), randomAddress(), randomAddress()];
const price: QuotedPrice = { exchangeRate: 2n, premiumMillionths: 1_000_000n, ceilingBaseUnits: 5n };

describe('promisedPrice', () => {
  const quotes = new LiveQuotes();
  quotes.remember({
    ...{ paymasterId: 'paymaster', sender, nonce: 1n },
    prices: new Map([[quoted, price]]),
    validUntilSeconds: NOW,
  });
  const asked = (token: typeof quoted, nowSeconds: number, refuseExpiredQuote = true) => {
    const caller = { paymaster: { snapshot: { paymasterId: 'paymaster' } } };
    const request = { caller, operation: { sender, nonce: 1n }, token, refuseExpiredQuote };
    return promisedPrice({ quotes }, request as unknown as Parameters<typeof promisedPrice>[1], nowSeconds);
  };

  it('is the price of the token in the live quote', () => {
    expect(asked(quoted, NOW)).toEqual(price);
    expect(asked(other, NOW)).toBeUndefined();
  });

  it('refuses a token of an expired quote, where that is a reason to refuse', () => {
    expect(() => asked(quoted, NOW + 1)).toThrow(expect.objectContaining({ reason: 'QUOTE_EXPIRED' }));
    expect(asked(quoted, NOW + 1, false)).toBeUndefined();
  });

  it('is undefined for a token that the expired quote did not price', () => {
    expect(asked(other, NOW + 1)).toBeUndefined();
  });
});
