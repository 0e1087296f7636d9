import { normalizeAddress, type Address } from './hex';

/** A Chainlink-style feed. */
export interface PriceFeed {
  readonly address: Address;
  /** The feed answers at least this often; seconds. */
  readonly heartbeatSeconds: number;
}

export const MAX_FEED_HEARTBEAT_SECONDS = 604_800;

/** What a price source can be. What a kind is on REST, on NATS and in files is said once for each kind, there. */
type Kind =
  | {
      readonly kind: 'feed';
      /** What the feed's answer is an amount of. */
      readonly unit: 'usd' | 'coin';
    }
  | {
      readonly kind: 'text';
      readonly pattern: RegExp;
      /** What the text must be, for whom it is not; follows the field's name. */
      readonly rule: string;
    };

/** The declaration of one price source. */
export type PriceSourceDeclaration = Kind & {
  /** For people, above the field. */
  readonly label: string;
  /** For people and in the API document. */
  readonly says: string;
  /** Of a text, in the API document. */
  readonly example?: string;
  /** A dashboard from before the source sends nothing for it. So all new ones have it. */
  readonly mayBeAbsent?: true;
};

/**
 * Where the USD price of an asset can come from, each source declared once: from here come the types, what `chains.json`
 * and token lists may name, what the dashboard takes, shows and stores, its API document and its form, and what travels
 * to the gateway. The reader of each is listed in `createPriceBook` of libs/pricing.
 */
export const PRICE_SOURCES = {
  feed: {
    kind: 'feed',
    unit: 'usd',
    label: 'Price feed on chain',
    says: 'A Chainlink-style feed of the token in USD.',
  },
  apiId: {
    kind: 'text',
    pattern: /^[A-Za-z0-9._-]{1,100}$/,
    rule: 'must be 1 to 100 letters, digits, dots, underscores and hyphens',
    label: 'Id at the price API',
    says: 'Id at the HTTP price API.',
    example: 'usd-coin',
  },
  fixedUsd: {
    kind: 'text',
    pattern: /^(?=.*[1-9])(0|[1-9]\d{0,17})(\.\d{1,18})?$/,
    rule: 'must be decimal text above zero, such as "0.9995", with at most 18 digits on either side of the point',
    label: 'Fixed price',
    says: 'USD per whole token, as decimal text, for a token that is pegged by agreement.',
    example: '1',
  },
  coinFeed: {
    kind: 'feed',
    unit: 'coin',
    label: 'Price feed in the chain’s coin',
    says: 'A Chainlink-style feed of the token in the chain’s coin, as staked coins have it (wstETH in ETH).',
    mayBeAbsent: true,
  },
} as const satisfies Readonly<Record<string, PriceSourceDeclaration>>;

export type PriceSourceName = keyof typeof PRICE_SOURCES;
type NamedBy<Name extends PriceSourceName> = (typeof PRICE_SOURCES)[Name]['kind'] extends 'feed' ? PriceFeed : string;

/** Where the USD price of an asset comes from; at least one source is named, all that are named are asked. */
export type PriceReference = { readonly [Name in PriceSourceName]: NamedBy<Name> | null };

/** A price as files and requests have it: what is absent is no source. */
export type SentPrice = { readonly [Name in PriceSourceName]?: NamedBy<Name> | null | undefined };

/** A value for each price source, in the order of the table. */
export function eachPriceSource<T>(
  valueOf: (source: PriceSourceDeclaration, name: PriceSourceName) => T,
): Readonly<Record<PriceSourceName, T>> {
  const entries = Object.entries(PRICE_SOURCES) as [PriceSourceName, PriceSourceDeclaration][];
  return Object.fromEntries(entries.map(([name, source]) => [name, valueOf(source, name)])) as Record<
    PriceSourceName,
    T
  >;
}

/** With null for each source that is absent, and addresses in lower case. */
export function toPriceReference(price: SentPrice): PriceReference {
  return eachPriceSource((_source, name) => {
    const named = price[name] ?? null;
    if (named === null || typeof named === 'string') return named;
    return { address: normalizeAddress(named.address), heartbeatSeconds: named.heartbeatSeconds };
  }) as PriceReference;
}

/** Whether a price is told in the chain's coin: the price of the coin itself can't be. */
export const isInCoin = (name: PriceSourceName): boolean => {
  const source: PriceSourceDeclaration = PRICE_SOURCES[name];
  return source.kind === 'feed' && source.unit === 'coin';
};

/** The sources that a price names. */
export function sourcesOf(price: Readonly<Partial<Record<PriceSourceName, unknown>>>): readonly PriceSourceName[] {
  return (Object.keys(PRICE_SOURCES) as PriceSourceName[]).filter((name) => (price[name] ?? null) !== null);
}

/** The names of all sources, for a sentence: `feed, apiId and fixedUsd`. */
export const PRICE_SOURCE_NAMES = Object.keys(PRICE_SOURCES)
  .join(', ')
  .replace(/, (?=\w+$)/, ' and ');
