import { eachPriceSource, PRICE_SOURCES, type PriceSourceName } from '@paymaster/domain';
import type { Schemas } from '../../api/queries';
import { changesToSend } from '../../policy/merge-changes';

export type Token = Schemas['TokenView'];
export type ChargingWay = Token['chargingWays'][number];

/** A token as its form has it: texts as they are typed. */
export interface TokenDraft {
  readonly address: string;
  /** For each price source the address of its feed, or its text. */
  readonly prices: Readonly<Record<PriceSourceName, string>>;
  /** Of those that are feeds; seconds. */
  readonly heartbeats: Readonly<Record<PriceSourceName, string>>;
  readonly premium: string;
  readonly logoUrl: string;
  /** Wei; empty for the chain's own cap. */
  readonly exposureCapWei: string;
  readonly chargingWays: readonly ChargingWay[];
}

export const WAYS: Readonly<Record<ChargingWay, string>> = {
  allowance: 'allowance',
  permit: 'permit',
  batchApproval: 'approval in the batch',
};

const DAY_SECONDS = '86400';

export const NEW_TOKEN: TokenDraft = {
  ...{ address: '', prices: eachPriceSource(() => ''), heartbeats: eachPriceSource(() => DAY_SECONDS) },
  ...{ premium: '10', logoUrl: '' },
  ...{ exposureCapWei: '', chargingWays: ['allowance', 'permit', 'batchApproval'] },
};

/** What of a stored token can be changed. */
export function draftOf({
  address,
  price,
  premiumPercentage,
  logoUrl,
  exposureCapWei,
  chargingWays,
}: Token): TokenDraft {
  return {
    address,
    prices: eachPriceSource((_source, name) => textOf(price[name])),
    heartbeats: eachPriceSource((_source, name) => heartbeatOf(price[name])),
    ...{ premium: premiumPercentage, logoUrl: logoUrl ?? '', exposureCapWei: exposureCapWei ?? '', chargingWays },
  };
}

type Source = Token['price'][PriceSourceName];

/** The address of a feed, or the text. */
export const textOf = (source: Source): string => (typeof source === 'string' ? source : (source?.address ?? ''));

const heartbeatOf = (source: Source): string =>
  source && typeof source !== 'string' ? String(source.heartbeatSeconds) : DAY_SECONDS;

/** A draft as it is sent for a new token. */
export function sendableToken(draft: TokenDraft): Schemas['RegisterTokenDto'] {
  const named = Object.entries(PRICE_SOURCES).flatMap(([name, { kind }]) => {
    const text = draft.prices[name as PriceSourceName].trim();
    const feed = { address: text, heartbeatSeconds: Number(draft.heartbeats[name as PriceSourceName]) };
    return text === '' ? [] : [[name, kind === 'feed' ? feed : text]];
  });
  return {
    address: draft.address.trim(),
    premiumPercentage: draft.premium.trim(),
    chargingWays: [...draft.chargingWays],
    logoUrl: draft.logoUrl.trim() || null,
    exposureCapWei: draft.exposureCapWei || null,
    price: Object.fromEntries(named) as Schemas['PriceDto'],
  };
}

/**
 * The address, what was changed, and what of that was read before: what somebody else changed meanwhile stays as it is,
 * and is not overwritten unseen.
 */
export function changesOf(draft: TokenDraft, from: Token): Schemas['UpdateTokenDto'] {
  return { ...changesToSend(sendableToken(draftOf(from)), sendableToken(draft), from), address: from.address };
}
