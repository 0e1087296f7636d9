import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';
import { BudgetRefusedError } from '@paymaster/ledger';
import { claimLine, type Claim, type SponsorshipCandidate } from '@paymaster/policy';
import type { Caller } from '../callers/caller';
import { nativePriceUnavailable } from '@paymaster/pricing';
import { microUsdPerNative } from './native-price';
import type { AllowingVerdict } from './owner-policies.service';

/** A policy whose turn it is, with everything that sponsoring by it asks. */
export interface PolicyTurn {
  /** Null where the paymaster has no such policy and the rest decides. */
  readonly policyId: string | null;
  /** Of the policy's limits and of all restrictions. */
  readonly claims: readonly Claim[];
  /** With a line for each claim, as if it were granted. */
  readonly trace: readonly TraceLine[];
}

/**
 * Tries the policies in their order, until the limits of one have room. A restriction that is used up ends it: every
 * policy would meet it.
 *
 * @param attempt throws SPENDING_LIMIT_REACHED where the limits have no room
 * @throws {SponsorshipRefusedError} of the last policy, when none has room
 * @throws {PriceUnavailableError} when it is the turn of one with limits in USD, and nobody knows the price
 */
export async function firstThatAllows<T>(
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

/** Why there was no price; one that has come since is too late for the claims that were made without it. */
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

/** All or nothing: the others would have had room, or were not looked at any more. */
function outcomeOf(claim: Claim, error: BudgetRefusedError): TraceLine['outcome'] {
  return error.isOf(claim) ? 'refuse' : 'skip';
}
