import { BudgetRefusedError, type BudgetClaim, type Ledger, type OperationKey } from '@paymaster/ledger';
import { assertInTime } from '@paymaster/turns';

/** A claim, and how much of its budget is used now. */
export interface BudgetLook {
  readonly claim: BudgetClaim;
  /** The limit of the claim; for a share, its current value. */
  readonly limit: bigint;
  readonly used: bigint;
  /** The part that the operation holds already: a second request adds only the amount above it. */
  readonly held: bigint;
}

/**
 * Reads how much of each budget of an operation is used. It holds nothing, so the numbers may change a moment later.
 *
 * @param look.deadlineMs when the client is answered at the latest; milliseconds of the monotonic clock
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

/** Throws as the ledger would. @throws {BudgetRefusedError} of the first budget without room */
export function assertRoom(looks: readonly BudgetLook[]): void {
  const full = fullBudget(looks);
  if (full) throw new BudgetRefusedError(full);
}

/** The first budget without room. */
export function fullBudget(looks: readonly BudgetLook[]): BudgetLook | undefined {
  return looks.find(({ claim, limit, used, held }) => used + above(claim.amount, held) > limit);
}

function above(amount: bigint, held: bigint): bigint {
  return amount > held ? amount - held : 0n;
}
