import { ChainProvider, type ChainConfig, type ChainHead, type ChainPricing } from '@paymaster/chain';
import { TokenPathSimulator, TokenReader } from '@paymaster/gas';
import { createPriceBook, type PriceBook, type PriceSource } from '@paymaster/pricing';
import type { ChainReader } from './chain-reader';
import { LiveQuotes } from './quotes/live-quotes';
import { LiveRates } from './quotes/live-rates';

/** Listeners for events in the background, which may log them. */
export interface TokenListeners {
  /** Why a read in the background failed, or what is wrong with prices. */
  readonly onFault: (error: unknown) => void;
}

/** The parts of a chain that only token mode needs: prices, reads of tokens, and the memory of quotes and rates. */
export class ServedTokens {
  readonly prices: PriceBook;
  readonly reader: TokenReader;
  readonly simulator: TokenPathSimulator;
  readonly quotes = new LiveQuotes();
  readonly liveRates = new LiveRates();
  /** The parts of token mode that read the chain, for metrics. */
  readonly readers: readonly ChainReader[];

  constructor(
    chain: ChainConfig & { readonly pricing: ChainPricing },
    {
      head,
      apis,
      listeners,
    }: {
      head: ChainHead;
      /** The APIs that price tokens by their `apiId`. Without an API such tokens have no price. */
      apis: readonly PriceSource[];
      listeners: TokenListeners;
    },
  ) {
    const { onFault } = listeners;
    // Tokens, factories and feeds are strangers' code. They have a separate provider, so the faults that they cause at
    // a node do not open a breaker of other reads.
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

  /** Starts to read prices. Never rejects: health reports faults. */
  start(): void {
    void this.prices.start();
  }

  stop(): void {
    this.prices.stop();
  }
}
