import { SponsorshipRefusedError } from '@paymaster/domain';
import type { BudgetClaim, Ledger, OperationKey } from '@paymaster/ledger';

/** A claim, and how far its budget is used by now. */
export interface BudgetLook {
  readonly claim: BudgetClaim;
  readonly used: bigint;
  /** What of it the operation holds already: asking again adds only what is above that. */
  readonly held: bigint;
}

/**
 * How far the budgets of an operation are used. Nothing is held, so it may be otherwise a moment later.
 *
 * @throws {DependencyUnavailableError} `database`
 */
export async function lookAtBudgets(
  ledger: Pick<Ledger, 'peek'>,
  { claims, operation }: { claims: readonly BudgetClaim[]; operation: OperationKey },
): Promise<readonly BudgetLook[]> {
  if (claims.length === 0) return [];
  const uses = await ledger.peek(claims, operation);
  return claims.map((claim, index) => {
    const { usedAmount: used = 0n, heldAmount: held = 0n } = uses[index] ?? {};
    return { claim, used, held };
  });
}

/** @throws {SponsorshipRefusedError} of the first budget without room, as the ledger would refuse it */
export function assertRoom(looks: readonly BudgetLook[]): void {
  const full = looks.find(({ claim, used, held }) => used + above(claim.amount, held) > claim.limit);
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

function above(amount: bigint, held: bigint): bigint {
  return amount > held ? amount - held : 0n;
}
