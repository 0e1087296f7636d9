import type { Address, LiveSignatureCaps } from '@paymaster/domain';
import type { BudgetClaim } from '@paymaster/ledger';
import type { ClientName } from '../callers/client-names';

/** The sender, client and paymaster whose signatures are counted. */
export interface LiveSubjects {
  readonly paymasterId: string;
  readonly sender: Address;
  /** Undefined where the caps on clients do not count the request. */
  readonly client: ClientName | undefined;
}

/** Subjects with a client that is counted. */
export type CountedSubjects = LiveSubjects & { readonly client: ClientName };

/** Made once, because every signature needs them. */
const TOO_MANY = {
  ofSender: tooMany('sender'),
  ofClientAddress: tooMany('client address'),
  ofPaymaster: tooMany('paymaster'),
  ofClientNetwork: tooMany('client network'),
  ofSenderAndClient: tooMany('sender and client address'),
};
const SHARE_HELD = refusalOf(
  'liveSignatures:share',
  'Too much of what is left of a limit is held by this client address',
);
const STRANGERS_HOLD = refusalOf(
  'liveSignatures:strangers',
  'Three quarters of what is left of a limit are held by accounts that are new to this paymaster',
);
/** The part of what is left of a limit that senders may hold together that landed nothing lately. */
const STRANGERS_PERCENT = 75;

function tooMany(whose: string): BudgetClaim['refusal'] {
  return refusalOf(`liveSignatures:${whose}`, `Too many sponsored operations of this ${whose} are still valid`);
}

function refusalOf(rule: string, message: string): BudgetClaim['refusal'] {
  return { rule, reason: 'TOO_MANY_LIVE_SIGNATURES', message: `${message}; the oldest expire within minutes.` };
}

/**
 * How many networks of one site (a /48) may use up their share: carriers give each customer a /64, and companies have a
 * /48.
 */
const NETWORKS_OF_A_SITE = 10;

/**
 * The claims that one signature makes on the caps on live signatures. The API key is often public, and a client does
 * not prove to be the sender before the account signs. Without these caps a stranger could fill a budget, or the places
 * of an account, with operations that never land.
 */
export function liveClaims(subjects: LiveSubjects, caps: LiveSignatureCaps): BudgetClaim[] {
  const { paymasterId, sender, client } = subjects;
  const prefix = `live:${paymasterId}`;
  const ofSender = oneOf(`${prefix}:sender:${sender}`, caps.perSender, TOO_MANY.ofSender);
  const ofPaymaster = oneOf(prefix, caps.perPaymaster, TOO_MANY.ofPaymaster);
  if (!client) return [ofSender, ofPaymaster];
  const ofClient = oneOf(`${prefix}:client:${client.network}`, caps.perClient, TOO_MANY.ofClientAddress);
  const claims = [ofSender, ofClient, ofPaymaster];
  if (client.site !== client.network) {
    const limit = caps.perClient * NETWORKS_OF_A_SITE;
    claims.push(oneOf(`${prefix}:client:${client.site}`, limit, TOO_MANY.ofClientNetwork));
  }
  // One place of the sender stays free for other clients.
  if (isShared(caps) && caps.perSender > 1) {
    const limit = caps.perSender - 1;
    claims.push(oneOf(`${prefix}:sender:${sender}:${client.site}`, limit, TOO_MANY.ofSenderAndClient));
  }
  return claims;
}

/** Whether the claim is on the places of that sender. */
export function isPlaceOf(sender: Address, { key, live, share }: BudgetClaim): boolean {
  return live && !share && key.includes(`:sender:${sender}`);
}

/** Whether each client is bounded to a share; an owner turns it off when all his clients share one address. */
export function isShared({ clientSharePercent }: LiveSignatureCaps): boolean {
  return clientSharePercent < 100;
}

/** The client's share of a limit: a part of what is left, so that the client's second operation also leaves some. */
export function shareClaim(
  { key, unit, amount, limit, microUsdPerNative }: BudgetClaim,
  { client }: CountedSubjects,
  { clientSharePercent: percent }: LiveSignatureCaps,
): BudgetClaim {
  return {
    key: `${key}:client:${client.site}`,
    live: true,
    unit,
    amount,
    limit,
    share: { percent, of: key },
    ...(microUsdPerNative !== undefined && { microUsdPerNative }),
    refusal: SHARE_HELD,
  };
}

/** What all strangers' senders may hold of a limit together: the rest is kept for senders that landed lately. */
export function strangersClaim({ key, unit, amount, limit, microUsdPerNative }: BudgetClaim): BudgetClaim {
  return {
    key: `${key}:strangers`,
    ...{ live: true, unit, amount, limit, refusal: STRANGERS_HOLD },
    share: { percent: STRANGERS_PERCENT, of: key, isOfStrangers: true },
    ...(microUsdPerNative !== undefined && { microUsdPerNative }),
  };
}

function oneOf(key: string, limit: number, refusal: BudgetClaim['refusal']): BudgetClaim {
  return { key, live: true, unit: 'count', amount: 1n, limit: BigInt(limit), liftsWhenLate: true, refusal };
}
