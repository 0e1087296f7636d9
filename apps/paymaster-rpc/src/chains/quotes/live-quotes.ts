import type { Address } from '@paymaster/domain';
import type { SignedRate } from '@paymaster/pricing';
import { LRUCache } from 'lru-cache';

/** How long an expired quote is remembered as expired; after that the operation is priced anew. Seconds. */
const KNOWN_AS_EXPIRED_SECONDS = 3_600;
/** The most prices in all quotes together, where each quote counts as one price more than it has: about 75 MB. */
const DEFAULT_MAX_PRICES = 200_000;
/** The part of all remembered prices that one paymaster may have. */
const PAYMASTERS_PART = 10;

/** What a quote promised for one token. */
export interface QuotedPrice extends SignedRate {
  /** `ceil(maxGasFee * 10^decimals)`, the most the final call may ask for; base units. */
  readonly ceilingBaseUnits: bigint;
}

/** The operation that was quoted. Sender and nonce identify it, because only one operation of a nonce can land. */
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

export type FoundQuote = { readonly state: 'live' | 'expired'; readonly quote: LiveQuote } | { readonly state: 'none' };

/** The quotes that are remembered of one paymaster. */
interface PaymastersQuotes {
  /** Least recently used first. */
  readonly keys: Set<string>;
  size: number;
}

/**
 * The fee quotes that this process gave, the newest per (paymaster, sender, nonce). The table is bounded and forgets
 * the least recently used quote first. If a quote is forgotten, the final call gets a new price, to which the account's
 * owner consents by signing. A paymaster that has a tenth of all prices loses its own quotes first, so one API key
 * can't displace the quotes of others.
 *
 * A client that asks for a quote does not prove that the operation is its own. So a stranger who knows sender and nonce
 * can replace a quote; the client then asks for a new quote. Each process has its own table: see docs/adr/0009.
 */
export class LiveQuotes {
  private readonly quotes: LRUCache<string, LiveQuote>;
  private readonly byPaymaster = new Map<string, PaymastersQuotes>();
  private readonly maxSizePerPaymaster: number;

  constructor({ maxPrices = DEFAULT_MAX_PRICES }: { maxPrices?: number } = {}) {
    this.maxSizePerPaymaster = Math.floor(maxPrices / PAYMASTERS_PART);
    this.quotes = new LRUCache({
      maxSize: maxPrices,
      sizeCalculation: sizeOf,
      dispose: (quote, key) => this.forgotten(quote, key),
    });
  }

  /** Replaces an earlier quote of the same operation. */
  remember(quote: LiveQuote): void {
    const key = keyOf(quote);
    this.quotes.delete(key);
    const { paymasterId } = quote;
    const own = this.byPaymaster.get(paymasterId) ?? { keys: new Set(), size: 0 };
    for (const oldest of own.keys) {
      if (own.size + sizeOf(quote) <= this.maxSizePerPaymaster) break;
      this.quotes.delete(oldest);
    }
    this.quotes.set(key, quote);
    if (!this.quotes.has(key)) return;
    own.keys.add(key);
    own.size += sizeOf(quote);
    this.byPaymaster.set(paymasterId, own);
  }

  /** @param nowSeconds the chain's time */
  find(key: QuoteKey, nowSeconds: number): FoundQuote {
    const quote = this.quotes.get(keyOf(key));
    if (!quote) return { state: 'none' };
    this.used(quote);
    if (nowSeconds <= quote.validUntilSeconds) return { state: 'live', quote };
    if (nowSeconds <= quote.validUntilSeconds + KNOWN_AS_EXPIRED_SECONDS) return { state: 'expired', quote };
    this.quotes.delete(keyOf(key));
    return { state: 'none' };
  }

  private used(quote: LiveQuote): void {
    const keys = this.byPaymaster.get(quote.paymasterId)?.keys;
    if (keys?.delete(keyOf(quote))) keys.add(keyOf(quote));
  }

  private forgotten(quote: LiveQuote, key: string): void {
    const own = this.byPaymaster.get(quote.paymasterId);
    if (!own?.keys.delete(key)) return;
    own.size -= sizeOf(quote);
    if (own.keys.size === 0) this.byPaymaster.delete(quote.paymasterId);
  }
}

/**
 * The weight of a quote is its number of prices, so that a paymaster with many tokens gets no more than its part.
 */
function sizeOf({ prices }: LiveQuote): number {
  return prices.size + 1;
}

function keyOf({ paymasterId, sender, nonce }: QuoteKey): string {
  return `${paymasterId}:${sender}:${nonce}`;
}
