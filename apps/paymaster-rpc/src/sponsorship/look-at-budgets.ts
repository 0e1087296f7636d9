import { SponsorshipRefusedError } from '@paymaster/domain';
import type { BudgetClaim, Ledger } from '@paymaster/ledger';

/** A claim, and how far its budget is used by now. */
export interface BudgetLook {
  readonly claim: BudgetClaim;
  readonly used: bigint;
}

/**
 * How far the budgets of an operation are used. Nothing is held, so it may be otherwise a moment later.
 *
 * @throws {DependencyUnavailableError} `database`
 */
export async function lookAtBudgets(
  ledger: Pick<Ledger, 'peek'>,
  claims: readonly BudgetClaim[],
): Promise<readonly BudgetLook[]> {
  if (claims.length === 0) return [];
  const uses = await ledger.peek(claims);
  return claims.map((claim, index) => ({ claim, used: uses[index]?.usedAmount ?? 0n }));
}

/** @throws {SponsorshipRefusedError} of the first budget without room, as the ledger would refuse it */
export function assertRoom(looks: readonly BudgetLook[]): void {
  const full = looks.find(({ claim, used }) => used + claim.amount > claim.limit);
  if (!full) return;
  const { claim, used } = full;
  const { rule, reason, message } = claim.refusal;
  throw new SponsorshipRefusedError(reason, message, [], {
    rule,
    limit: claim.limit.toString(),
    used: used.toString(),
    unit: claim.unit,
    ...(claim.endsAtSeconds !== undefined && { resetsAtSeconds: claim.endsAtSeconds }),
  });
}
