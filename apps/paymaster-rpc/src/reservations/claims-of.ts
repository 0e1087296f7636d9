import type { Address, LiveSignatureCaps } from '@paymaster/domain';
import type { BudgetClaim } from '@paymaster/ledger';
import { clientNetwork } from '../callers/client-network';
import type { Caller } from '../callers/caller';
import { liveClaims, shareClaim } from './live-claims';

/** What a limit of the owner's rules asks for one operation. */
export interface RuleClaim extends BudgetClaim {
  /** Whether the limit is of the whole paymaster, so that one client may hold its share of it only. */
  readonly shared: boolean;
}

/** The operator's bounds on what paymasters may allow. */
export type LiveSignatureBounds = Pick<LiveSignatureCaps, 'perSender' | 'perClient' | 'perPaymaster'>;

export interface ClaimsRequest {
  readonly caller: Caller;
  readonly sender: Address;
  /** Of the rules that allowed the operation. */
  readonly rules: readonly RuleClaim[];
}

/** Every budget that an operation asks: the rules' limits, and the caps on what is live. */
export function claimsOf({ caller, sender, rules }: ClaimsRequest, bounds: LiveSignatureBounds): BudgetClaim[] {
  const { paymasterId, settings } = caller.paymaster.snapshot;
  const caps = atMost(settings.liveSignatureCaps, bounds);
  const subjects = { paymasterId, sender, client: clientNetwork(caller.clientAddress) };
  const claims = liveClaims(subjects, caps);
  for (const { shared, ...claim } of rules) {
    claims.push(claim);
    if (shared) claims.push(shareClaim(claim, subjects, caps));
  }
  return claims;
}

function atMost(caps: LiveSignatureCaps, bounds: LiveSignatureBounds): LiveSignatureCaps {
  return {
    perSender: Math.min(caps.perSender, bounds.perSender),
    perClient: Math.min(caps.perClient, bounds.perClient),
    perPaymaster: Math.min(caps.perPaymaster, bounds.perPaymaster),
    clientSharePercent: caps.clientSharePercent,
  };
}
