import type { Address, LiveSignatureCaps } from '@paymaster/domain';
import type { BudgetClaim } from '@paymaster/ledger';

/** Whose signatures are counted. */
export interface LiveSubjects {
  readonly paymasterId: string;
  readonly sender: Address;
  /** What counts as one client, of `clientNetwork`. */
  readonly client: string;
}

/**
 * What one signature asks of the caps on what is live. The key that asks for signatures is often public: without
 * these a stranger could hold a budget with operations that never land.
 */
export function liveClaims({ paymasterId, sender, client }: LiveSubjects, caps: LiveSignatureCaps): BudgetClaim[] {
  const prefix = `live:${paymasterId}`;
  return [
    oneOf(`${prefix}:sender:${sender}`, { limit: caps.perSender, whose: 'sender' }),
    oneOf(`${prefix}:client:${client}`, { limit: caps.perClient, whose: 'client address' }),
    oneOf(prefix, { limit: caps.perPaymaster, whose: 'paymaster' }),
  ];
}

/**
 * What a claim of a limit of the whole paymaster asks of one client's share of it: the part that one client address
 * may hold in signatures that have not landed.
 */
export function shareClaim(claim: BudgetClaim, { client }: LiveSubjects, { clientSharePercent }: LiveSignatureCaps) {
  const { key, unit, amount, limit, microUsdPerNative } = claim;
  const share: BudgetClaim = {
    ...{ key: `${key}:client:${client}`, unit, amount },
    live: true,
    // Upwards: of a limit of one operation, one client may hold that one.
    limit: (limit * BigInt(clientSharePercent) + 99n) / 100n,
    ...(microUsdPerNative !== undefined && { microUsdPerNative }),
    refusal: refusalOf('liveSignatures:share', 'Too much of a limit of this paymaster is held by this client address'),
  };
  return share;
}

function oneOf(key: string, { limit, whose }: { limit: number; whose: string }): BudgetClaim {
  const message = `Too many sponsored operations of this ${whose} are still valid`;
  return {
    ...{ key, live: true, unit: 'count', amount: 1n, limit: BigInt(limit) },
    refusal: refusalOf(`liveSignatures:${whose}`, message),
  };
}

function refusalOf(rule: string, message: string): BudgetClaim['refusal'] {
  return { rule, reason: 'TOO_MANY_LIVE_SIGNATURES', message: `${message}; the oldest expire within minutes.` };
}
