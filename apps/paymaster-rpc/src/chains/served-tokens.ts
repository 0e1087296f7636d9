import {
  ChainProvider,
  TokenPathSimulator,
  TokenReader,
  type ChainConfig,
  type ChainHead,
  type ChainPricing,
} from '@paymaster/chain';
import { createPriceBook, type PriceBook, type PriceSource } from '@paymaster/pricing';
import type { ChainReader } from './chain-reader';
import { LiveQuotes } from '../token-mode/quotes/live-quotes';
import { LiveRates } from '../token-mode/quotes/live-rates';

/** What happens in the background; a place for log lines. */
export interface TokenListeners {
  /** Why a read in the background failed, or what is wrong with prices. */
  readonly onFault: (error: unknown) => void;
}

/** What of a chain only token mode needs: prices, the token's own reads, and the memory of what was promised. */
export class ServedTokens {
  readonly prices: PriceBook;
  readonly reader: TokenReader;
  readonly simulator: TokenPathSimulator;
  readonly quotes = new LiveQuotes();
  readonly liveRates = new LiveRates();
  /** Each for itself, for metrics. */
  readonly readers: readonly ChainReader[];

  constructor(
    chain: ChainConfig & { readonly pricing: ChainPricing },
    {
      head,
      apis,
      listeners,
    }: {
      head: ChainHead;
      /** What reads the `apiId` of tokens; none, and such tokens have no price. */
      apis: readonly PriceSource[];
      listeners: TokenListeners;
    },
  ) {
    const { onFault } = listeners;
    // Tokens, factories and feeds are anybody's code: what it does to a node opens no breaker that others wait behind.
    const simulations = new ChainProvider(chain, { onFault });
    const feeds = new ChainProvider(chain, { onFault });
    this.readers = [
      { use: 'simulations', reader: simulations },
      { use: 'feeds', reader: feeds },
    ];
    this.prices = createPriceBook({
      rules: chain.pricing,
      tokens: chain.tokens,
      reader: feeds,
      time: head,
      apis,
      onFault: ({ subject, source, fault, message }) =>
        onFault(new Error(`price of ${subject}${source ? ` at ${source}` : ''}: ${fault}, ${message}`)),
    });
    this.reader = new TokenReader(simulations);
    this.simulator = new TokenPathSimulator(simulations, chain);
  }

  /** Reads prices from now on. Never rejects: health tells. */
  start(): void {
    void this.prices.start();
  }

  stop(): void {
    this.prices.stop();
  }
}
