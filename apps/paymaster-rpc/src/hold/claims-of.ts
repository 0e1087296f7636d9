import type { Address, LiveSignatureCaps } from '@paymaster/domain';
import type { BudgetClaim } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import type { ClientNames } from '../callers/client-names';
import { keyClaims } from './key-claims';
import { isShared, liveClaims, shareClaim, strangersClaim } from './live-claims';

/** The operator's bounds on what paymasters may allow. */
export type LiveSignatureBounds = Pick<LiveSignatureCaps, 'perSender' | 'perClient' | 'perPaymaster'>;

export interface ClaimsRequest {
  readonly caller: Caller;
  readonly sender: Address;
  /** How much the operation asks of the funding wallet. */
  readonly prechargeWei: bigint;
  /** Limits of the rules that allowed the operation. */
  readonly rules: readonly BudgetClaim[];
}

/** Every budget that an operation claims: the limits of rules and of the API key, the caps on live signatures, and the shares of its client and of strangers. */
export function claimsOf(
  request: ClaimsRequest,
  { bounds, names }: { bounds: LiveSignatureBounds; names: ClientNames },
): BudgetClaim[] {
  const { caller, sender } = request;
  const ofKey = keyClaims(caller, request);
  const rules = ofKey.length === 0 ? request.rules : [...request.rules, ...ofKey];
  const { paymasterId, settings } = caller.paymaster.snapshot;
  const caps = atMost(settings.liveSignatureCaps, bounds);
  const client = caller.strangerNetwork === undefined ? undefined : names.of(caller.clientAddress);
  const claims = [...liveClaims({ paymasterId, sender, client }, caps), ...rules];
  if (!client || !isShared(caps)) return claims;
  const subjects = { paymasterId, sender, client };
  claims.push(...rules.map((claim) => shareClaim(claim, subjects, caps)));
  // The budget of one sender is not shared with others.
  for (const claim of rules) if (!claim.key.includes(sender)) claims.push(strangersClaim(claim));
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
