import { randomAddress } from '@paymaster/domain/testing';
import { LiveQuotes, type LiveQuote } from './live-quotes';

const NOW = 1_800_000_000;
const key = { paymasterId: 'paymaster', sender: randomAddress(), nonce: 7n };
const price = { exchangeRate: 2_500_000_000n, premiumMillionths: 1_100_000n, ceilingBaseUnits: 5n };
const quote = (changes: Partial<LiveQuote> = {}): LiveQuote => ({
  ...key,
  prices: new Map([[randomAddress(), price]]),
  validUntilSeconds: NOW + 300,
  ...changes,
});

describe('LiveQuotes', () => {
  let quotes: LiveQuotes;
  beforeEach(() => (quotes = new LiveQuotes()));

  it('finds a quote in its last second and knows it as expired in the next, for an hour', () => {
    const given = quote();
    quotes.remember(given);
    expect(quotes.find(key, NOW + 300)).toEqual({ state: 'live', quote: given });
    expect(quotes.find(key, NOW + 301)).toEqual({ state: 'expired' });
    expect(quotes.find(key, NOW + 300 + 3_600)).toEqual({ state: 'expired' });
    expect(quotes.find(key, NOW + 301 + 3_600)).toEqual({ state: 'none' });
  });

  it('keeps one of an operation, the newest, also when that one ends earlier', () => {
    const newest = quote({ validUntilSeconds: NOW + 100 });
    quotes.remember(quote());
    quotes.remember(newest);
    expect(quotes.find(key, NOW)).toEqual({ state: 'live', quote: newest });
    expect(quotes.find(key, NOW + 101)).toEqual({ state: 'expired' });
  });

  it.each([{ paymasterId: 'other' }, { sender: randomAddress() }, { nonce: 8n }])(
    'finds nothing for another %p',
    (other) => {
      quotes.remember(quote());
      expect(quotes.find({ ...key, ...other }, NOW)).toEqual({ state: 'none' });
    },
  );

  it('forgets the one not used for longest when it remembers too many prices', () => {
    const three = new Map(Array.from({ length: 3 }, () => [randomAddress(), price] as const));
    quotes = new LiveQuotes({ maxPrices: 8 });
    quotes.remember(quote({ nonce: 1n, prices: three }));
    quotes.remember(quote({ nonce: 2n, prices: three }));
    quotes.find({ ...key, nonce: 1n }, NOW);
    quotes.remember(quote({ nonce: 3n, prices: three }));
    const states = [1n, 2n, 3n].map((nonce) => quotes.find({ ...key, nonce }, NOW).state);
    expect(states).toEqual(['live', 'none', 'live']);
  });
});
