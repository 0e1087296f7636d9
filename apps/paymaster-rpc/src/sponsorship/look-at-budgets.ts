import { assertInTime } from '@paymaster/domain';
import { BudgetRefusedError, type BudgetClaim, type Ledger, type OperationKey } from '@paymaster/ledger';

/** A claim, and how far its budget is used by now. */
export interface BudgetLook {
  readonly claim: BudgetClaim;
  /** Of the claim, or what a share comes to now. */
  readonly limit: bigint;
  readonly used: bigint;
  /** What of it the operation holds already: asking again adds only what is above that. */
  readonly held: bigint;
}

/**
 * How far the budgets of an operation are used. Nothing is held, so it may be otherwise a moment later.
 *
 * @param look.deadlineMs when who asks is answered, whatever is known by then; milliseconds of the monotonic clock
 * @throws {DependencyUnavailableError} `database`
 * @throws {RequestTimedOutError} when the deadline is over
 */
export async function lookAtBudgets(
  ledger: Pick<Ledger, 'peek'>,
  { claims, operation, deadlineMs }: { claims: readonly BudgetClaim[]; operation: OperationKey; deadlineMs: number },
): Promise<readonly BudgetLook[]> {
  if (claims.length === 0) return [];
  assertInTime(deadlineMs, performance.now());
  const uses = await ledger.peek(claims, operation);
  return claims.map((claim, index) => {
    const { usedAmount: used = 0n, heldAmount: held = 0n, limit = claim.limit } = uses[index] ?? {};
    return { claim, limit, used, held };
  });
}

/** @throws {BudgetRefusedError} of the first budget without room, as the ledger would refuse it */
export function assertRoom(looks: readonly BudgetLook[]): void {
  const full = looks.find(({ claim, limit, used, held }) => used + above(claim.amount, held) > limit);
  if (full) throw new BudgetRefusedError(full);
}

function above(amount: bigint, held: bigint): bigint {
  return amount > held ? amount - held : 0n;
}
