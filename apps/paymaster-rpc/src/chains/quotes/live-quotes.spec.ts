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
    expect(quotes.find(key, NOW + 301)).toEqual({ state: 'expired', quote: given });
    expect(quotes.find(key, NOW + 300 + 3_600)).toEqual({ state: 'expired', quote: given });
    expect(quotes.find(key, NOW + 301 + 3_600)).toEqual({ state: 'none' });
  });

  it('keeps only the newest quote of an operation, even if it ends earlier', () => {
    const newest = quote({ validUntilSeconds: NOW + 100 });
    quotes.remember(quote());
    quotes.remember(newest);
    expect(quotes.find(key, NOW)).toEqual({ state: 'live', quote: newest });
    expect(quotes.find(key, NOW + 101)).toEqual({ state: 'expired', quote: newest });
  });

  it.each([{ paymasterId: 'other' }, { sender: randomAddress() }, { nonce: 8n }])(
    'finds nothing for another %p',
    (other) => {
      quotes.remember(quote());
      expect(quotes.find({ ...key, ...other }, NOW)).toEqual({ state: 'none' });
    },
  );

  describe('with room for two quotes of a paymaster, and for twenty in all', () => {
    const three = new Map(Array.from({ length: 3 }, () => [randomAddress(), price] as const));
    const given = (nonce: number, paymasterId: string): LiveQuote =>
      quote({ nonce: BigInt(nonce), paymasterId, prices: three });
    const remember = (nonce: number, paymasterId = 'paymaster'): void => quotes.remember(given(nonce, paymasterId));
    const stateOf = (nonce: number, paymasterId = 'paymaster') => quotes.find(given(nonce, paymasterId), NOW).state;

    beforeEach(() => (quotes = new LiveQuotes({ maxPrices: 80 })));

    it("forgets the paymaster's own least recently used quote", () => {
      remember(1);
      remember(2);
      stateOf(1);
      remember(3);
      expect([1, 2, 3].map((nonce) => stateOf(nonce))).toEqual(['live', 'none', 'live']);
    });

    it('lets no paymaster make the quotes of another forgotten', () => {
      remember(1);
      for (let nonce = 0; nonce < 100; nonce++) remember(nonce, 'hostile');
      expect(stateOf(1)).toBe('live');
    });

    it('counts a replaced quote once, and a forgotten quote not at all', () => {
      remember(1);
      for (let attempt = 0; attempt < 10; attempt++) remember(2);
      expect([stateOf(1), stateOf(2)]).toEqual(['live', 'live']);
      for (let other = 0; other < 20; other++) remember(1, `other ${other}`);
      expect([stateOf(1), stateOf(2)]).toEqual(['none', 'none']);
      remember(3);
      remember(4);
      expect([stateOf(3), stateOf(4)]).toEqual(['live', 'live']);
    });
  });
});
