import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';
import { BudgetRefusedError } from '@paymaster/ledger';
import { claimLine, type Claim, type SponsorshipCandidate } from '@paymaster/policy';
import type { Caller } from '../../callers/caller';
import { nativePriceUnavailable } from '@paymaster/pricing';
import { microUsdPerNative } from '../../chains/native-price';
import type { AllowingVerdict } from '../facts/owner-policies.service';

/** A policy to try, with all claims of sponsoring by it. */
export interface PolicyTurn {
  /** Null where the paymaster has no sponsorship policy and the other rules decide. */
  readonly policyId: string | null;
  /** The claims of the policy's limits and of all restrictions. */
  readonly claims: readonly Claim[];
  /** With a line for each claim, as if it were granted. */
  readonly trace: readonly TraceLine[];
}

/**
 * Tries the policies in their order until the limits of one policy have room. A restriction that is used up ends the
 * search, because it would refuse under every policy.
 *
 * @param attempt throws SPENDING_LIMIT_REACHED where the limits have no room
 * @throws {SponsorshipRefusedError} of the last policy, when no policy has room
 * @throws {PriceUnavailableError} when a policy with limits in USD is tried and the price is not known
 */
export async function tryPolicies<T>(
  { caller, verdict }: { caller: Caller; verdict: AllowingVerdict },
  attempt: (turn: PolicyTurn) => Promise<T>,
): Promise<T> {
  const { candidates, restrictions } = verdict;
  const tried: TraceLine[] = [];
  let refusal: BudgetRefusedError | undefined;
  for (const candidate of candidates) {
    const turn = turnOf(candidate, verdict, tried);
    if (candidate.priceMissing) throw priceMissing(caller);
    try {
      return await attempt(turn);
    } catch (error) {
      if (!isUsedUp(error)) throw error;
      refusal = error;
      tried.push(...turn.claims.map((claim) => claimLine(claim, outcomeOf(claim, error))));
      if (restrictions.some((claim) => error.isOf(claim))) break;
    }
  }
  if (!refusal) throw new Error('there was no policy to try');
  throw new SponsorshipRefusedError(refusal.reason, refusal.message, [...verdict.trace, ...tried], {
    ...refusal.details,
  });
}

function turnOf(
  { policyId, claims: own }: SponsorshipCandidate,
  { restrictions, trace }: AllowingVerdict,
  tried: readonly TraceLine[],
): PolicyTurn {
  const claims = [...restrictions, ...own];
  return { policyId, claims, trace: [...trace, ...tried, ...claims.map((claim) => claimLine(claim, 'pass'))] };
}

/**
 * Why there was no price when the claims were made. A price that arrives later does not count, because the claims were
 * made without it.
 */
function priceMissing({ chain }: Caller): unknown {
  try {
    microUsdPerNative(chain);
    return nativePriceUnavailable('NOT_YET_READ');
  } catch (error) {
    return error;
  }
}

function isUsedUp(error: unknown): error is BudgetRefusedError {
  return error instanceof BudgetRefusedError && error.reason === 'SPENDING_LIMIT_REACHED';
}

/**
 * Replaces the lines as if granted: after a refusal nothing is held, and the other claims had room or were not checked.
 */
function outcomeOf(claim: Claim, error: BudgetRefusedError): TraceLine['outcome'] {
  return error.isOf(claim) ? 'refuse' : 'skip';
}
