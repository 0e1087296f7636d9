import type { Schemas } from '../../api/queries';

export type Token = Schemas['TokenView'];
export type ChargingWay = Token['chargingWays'][number];

/** A token as its form has it: texts as they are typed. */
export interface TokenDraft {
  readonly address: string;
  readonly feed: string;
  readonly heartbeat: string;
  readonly apiId: string;
  readonly fixedUsd: string;
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

export const NEW_TOKEN: TokenDraft = {
  ...{ address: '', feed: '', heartbeat: '86400', apiId: '', fixedUsd: '', premium: '10', logoUrl: '' },
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
  const { feed, apiId, fixedUsd } = price;
  return {
    ...{ address, feed: feed?.address ?? '', heartbeat: String(feed?.heartbeatSeconds ?? NEW_TOKEN.heartbeat) },
    ...{ apiId: apiId ?? '', fixedUsd: fixedUsd ?? '', premium: premiumPercentage, logoUrl: logoUrl ?? '' },
    ...{ exposureCapWei: exposureCapWei ?? '', chargingWays },
  };
}

/** A draft as it is sent for a new token. */
export function sendableToken(draft: TokenDraft): Schemas['RegisterTokenDto'] {
  const [feed, apiId, fixedUsd] = [draft.feed.trim(), draft.apiId.trim(), draft.fixedUsd.trim()];
  return {
    address: draft.address.trim(),
    premiumPercentage: draft.premium.trim(),
    chargingWays: [...draft.chargingWays],
    logoUrl: draft.logoUrl.trim() || null,
    exposureCapWei: draft.exposureCapWei || null,
    price: {
      ...(feed && { feed: { address: feed, heartbeatSeconds: Number(draft.heartbeat) } }),
      ...(apiId && { apiId }),
      ...(fixedUsd && { fixedUsd }),
    },
  };
}

/** The address, and what was changed: what somebody else changed meanwhile stays as it is. */
export function changesOf(draft: TokenDraft, from: Token): Schemas['UpdateTokenDto'] {
  const [before, after] = [sendableToken(draftOf(from)), sendableToken(draft)];
  const changed = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]),
  );
  return { ...Object.fromEntries(changed), address: from.address };
}
