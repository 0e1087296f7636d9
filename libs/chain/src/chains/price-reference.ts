import { normalizeAddress, type PriceReference } from '@paymaster/domain';

/** A price as a file has it: an absent field is no source. */
export interface RawPrice {
  readonly feed?: { readonly address: string; readonly heartbeatSeconds: number };
  readonly apiId?: string;
  readonly fixedUsd?: string;
}

export function toPriceReference({ feed, apiId, fixedUsd }: RawPrice): PriceReference {
  return {
    feed: feed ? { address: normalizeAddress(feed.address), heartbeatSeconds: feed.heartbeatSeconds } : null,
    apiId: apiId ?? null,
    fixedUsd: fixedUsd ?? null,
  };
}

/** How many sources a price names. */
export function countSources(price: PriceReference): number {
  return [price.feed, price.apiId, price.fixedUsd].filter((source) => source !== null).length;
}

/** Percent as decimal text of at most 4 decimals: `'2.5'` is 25,000 millionths. */
export function percentToMillionths(percent: string): number {
  const [whole = '0', fraction = ''] = percent.split('.');
  return Number(whole + fraction.padEnd(4, '0'));
}
