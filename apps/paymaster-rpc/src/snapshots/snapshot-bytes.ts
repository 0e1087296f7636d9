import type { KeyGrant, PolicySnapshot, SponsorshipPolicy, TokenListing } from '@paymaster/domain';

const SNAPSHOT_BYTES = 2_000;
const CONTRACT_BYTES = 400;
const SELECTOR_BYTES = 100;
/** A listing, its price reference, and its place in the registry made of it. */
const TOKEN_BYTES = 1_200;
/** A policy with its compiled rules. */
const POLICY_BYTES = 4_000;
/** An address, in the snapshot and in a set. */
const ADDRESS_BYTES = 300;
/** A limit, with its compiled form. */
const LIMIT_BYTES = 1_000;
/** An argument rule, with its compiled form. */
const ARGUMENT_BYTES = 2_000;
const VALUE_BYTES = 500;

/** About how much memory a snapshot takes, look-up tables included; bytes. */
export function snapshotBytes({ contracts, tokens, policies, settings, key }: PolicySnapshot): number {
  const selectors = contracts.reduce((count, contract) => count + contract.selectors.length, 0);
  const origins = settings.allowedOrigins.reduce((bytes, origin) => bytes + textBytes(origin), 0);
  const listings = tokens.reduce((bytes, token) => bytes + TOKEN_BYTES + textsOf(token), 0);
  const rules = policies.reduce((bytes, policy) => bytes + policyBytes(policy), 0);
  const sponsor = textBytes(`${settings.sponsorName ?? ''}${settings.sponsorIcon ?? ''}`);
  const ofContracts = contracts.length * CONTRACT_BYTES + selectors * SELECTOR_BYTES;
  const ofKey = key === null ? 0 : grantBytes(key);
  return SNAPSHOT_BYTES + ofContracts + origins + listings + rules + sponsor + ofKey;
}

/** Its lists, and its networks as they are compiled. */
function grantBytes({ allowedOrigins, allowedNetworks, allowedSenders, allowedMethods, policyIds }: KeyGrant): number {
  const lists = [allowedOrigins, allowedNetworks, allowedSenders, allowedMethods, policyIds];
  return lists.flatMap((list) => list ?? []).reduce((bytes, text) => bytes + ADDRESS_BYTES + textBytes(text), 0);
}

function policyBytes(policy: SponsorshipPolicy): number {
  if (policy.type === 'WEBHOOK') return POLICY_BYTES + textBytes(policy.webhook.url);
  if (policy.type !== 'RULES') return POLICY_BYTES;
  const {
    allowedSenders,
    deniedSenders,
    eip7702Delegates,
    accountFactories,
    arguments: conditions,
    limits,
  } = policy.rules;
  const lists = [allowedSenders, deniedSenders, eip7702Delegates, accountFactories];
  const addresses = lists.reduce((count, list) => count + (list?.length ?? 0), 0);
  const values = conditions.reduce((count, condition) => count + condition.values.length, 0);
  const methods = conditions.reduce((bytes, { method }) => bytes + textBytes(method), 0);
  return (
    POLICY_BYTES +
    addresses * ADDRESS_BYTES +
    limits.length * LIMIT_BYTES +
    conditions.length * ARGUMENT_BYTES +
    values * VALUE_BYTES +
    methods
  );
}

/** Texts that owners write; the dashboard bounds their length. */
function textsOf({ symbol, logoUrl, price }: TokenListing): number {
  const named = Object.values(price).filter((source) => typeof source === 'string');
  return [symbol, logoUrl ?? '', ...named].reduce((bytes, text) => bytes + textBytes(text), 0);
}

function textBytes(text: string): number {
  return 2 * text.length;
}
