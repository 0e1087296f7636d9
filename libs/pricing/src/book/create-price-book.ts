import type { Address, PriceReference, TokenListing } from '@paymaster/domain';
import type { MonotonicClock } from '@paymaster/turns';
import { PriceBook } from './price-book';
import type { PricingFault } from './fault-reporter';
import type { ChainTime } from '../sources/chain-time';
import { ChainlinkFeedSource } from '../sources/feed/chainlink-feed.source';
import { CoinFeedSource } from '../sources/feed/coin-feed.source';
import type { ContractReader } from '../sources/feed/contract-reader';
import { SequencerFeed } from '../sources/feed/sequencer-feed';
import { FixedPriceSource } from '../sources/fixed-price.source';
import { NoPriceSource } from '../sources/no-price.source';
import type { PriceSource } from '../sources/price-source';
import { QuorumPriceSource } from '../sources/quorum/quorum-price.source';

/** How prices of a chain are found, and when they count; `ChainPricing` of libs/chain is one. */
export interface PricingRules {
  readonly native: PriceReference;
  readonly sequencer: { readonly feed: Address; readonly graceSeconds: number } | null;
  readonly maxAgeSeconds: number;
  readonly feedGraceSeconds: number;
  readonly maxDeviationMillionths: number;
  readonly minSources: number | null;
  readonly maxJumpMillionths: number;
}

/**
 * The price book of one chain, composed as operators expect it: it asks every source that a reference names, and they
 * must agree. Call `start()`, and `stop()` on shutdown.
 *
 * @example
 * const api = new CachedPriceSource(new HttpPriceSource({ baseUrl, key }), { ttlSeconds: 5 }); // one per process
 * const rates = createPriceBook({ rules: chain.pricing, tokens: chain.tokens, reader: provider, time: head, apis: [api] });
 * await rates.start();
 */
export function createPriceBook(input: {
  rules: PricingRules;
  /** The operator's tokens of the chain. */
  tokens: readonly TokenListing[];
  reader: ContractReader;
  time: ChainTime;
  /** The readers of `apiId`; each counts as a separate source. */
  apis: readonly PriceSource[];
  refreshSeconds?: number;
  clock?: MonotonicClock;
  onFault?: (fault: PricingFault) => void;
}): PriceBook {
  const { rules, tokens, reader, time, apis, ...options } = input;
  const feeds = new ChainlinkFeedSource(reader, time, { graceSeconds: rules.feedGraceSeconds });
  const inUsd = [feeds, ...(apis.length > 0 ? apis : [new NoPriceSource()]), new FixedPriceSource()];
  const coin = { reference: rules.native, source: new QuorumPriceSource(inUsd, rules) };
  const sources = [...inUsd, new CoinFeedSource(feeds, coin)];
  return new PriceBook({
    native: rules.native,
    tokens,
    source: new QuorumPriceSource(sources, rules),
    parts: sources,
    sequencer: rules.sequencer && new SequencerFeed(reader, time, rules.sequencer),
    maxAgeSeconds: rules.maxAgeSeconds,
    maxJumpMillionths: rules.maxJumpMillionths,
    ...options,
  });
}
