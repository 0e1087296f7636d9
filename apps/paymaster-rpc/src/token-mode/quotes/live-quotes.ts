import type { Address } from '@paymaster/domain';
import { LRUCache } from 'lru-cache';

/** How long an expired quote is known as such; after that the operation is priced anew. Seconds. */
const KNOWN_AS_EXPIRED_SECONDS = 3_600;
/** Prices of all quotes together, and one more for each quote: about 75 MB. */
const DEFAULT_MAX_PRICES = 200_000;

/** What a quote promised for one token. */
export interface QuotedPrice {
  /** Token base units per 1e18 wei, without the premium. */
  readonly exchangeRate: bigint;
  /** As signed: 1_000_000 for none. */
  readonly premiumMillionths: bigint;
  /** `ceil(maxGasFee * 10^decimals)`, the most the final call may ask for; base units. */
  readonly ceilingBaseUnits: bigint;
}

/** What was quoted: of a nonce, one operation can land. */
export interface QuoteKey {
  readonly paymasterId: string;
  readonly sender: Address;
  readonly nonce: bigint;
}

export interface LiveQuote extends QuoteKey {
  /** By token address. */
  readonly prices: ReadonlyMap<Address, QuotedPrice>;
  /** Unix seconds on chain; the quote still holds in that second. */
  readonly validUntilSeconds: number;
}

export type FoundQuote =
  { readonly state: 'live'; readonly quote: LiveQuote } | { readonly state: 'expired' } | { readonly state: 'none' };

/**
 * The fee quotes this process gave, one per (paymaster, sender, nonce): the newest. Bounded: the one not used for
 * longest is forgotten first, and what is forgotten is priced anew, to which the account's owner consents by signing.
 *
 * Nobody has to prove that an operation is his to have it quoted, so a stranger who knows sender and nonce can replace
 * a quote: a nuisance, cured by asking for another. It is one process's memory: see docs/adr/0009.
 */
export class LiveQuotes {
  private readonly quotes: LRUCache<string, LiveQuote>;

  constructor({ maxPrices = DEFAULT_MAX_PRICES }: { maxPrices?: number } = {}) {
    // A quote weighs what it promises, so that a paymaster of many tokens does not take more than its part.
    this.quotes = new LRUCache({ maxSize: maxPrices, sizeCalculation: ({ prices }) => prices.size + 1 });
  }

  /** Takes the place of an earlier quote of the same operation. */
  remember(quote: LiveQuote): void {
    this.quotes.set(keyOf(quote), quote);
  }

  /** @param nowSeconds the chain's time */
  find(key: QuoteKey, nowSeconds: number): FoundQuote {
    const quote = this.quotes.get(keyOf(key));
    if (!quote) return { state: 'none' };
    if (nowSeconds <= quote.validUntilSeconds) return { state: 'live', quote };
    if (nowSeconds <= quote.validUntilSeconds + KNOWN_AS_EXPIRED_SECONDS) return { state: 'expired' };
    this.quotes.delete(keyOf(key));
    return { state: 'none' };
  }
}

function keyOf({ paymasterId, sender, nonce }: QuoteKey): string {
  return `${paymasterId}:${sender}:${nonce}`;
}
