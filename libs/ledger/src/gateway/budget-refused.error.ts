import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';
import type { BudgetClaim } from './ledger';

/** How full a budget was when it had no room. */
export interface FullBudget {
  readonly claim: BudgetClaim;
  readonly used: bigint;
  readonly limit: bigint;
  /** The part of the use that the operation itself holds, if it was read. */
  readonly held?: bigint;
}

/** A budget has no room for an operation: the reason is that of its claim. */
export class BudgetRefusedError extends SponsorshipRefusedError {
  constructor(
    readonly budget: FullBudget,
    trace: readonly TraceLine[] = [],
  ) {
    const { reason, message } = budget.claim.refusal;
    super(reason, message, trace, detailsOf(budget));
  }

  /** The same error, with the trace of the earlier checks. */
  after(earlier: readonly TraceLine[]): BudgetRefusedError {
    return new BudgetRefusedError(this.budget, [...earlier, ...this.trace]);
  }

  /** Whether this claim was refused. It compares keys, because several rules may have the same name. */
  isOf({ key }: Pick<BudgetClaim, 'key'>): boolean {
    return this.budget.claim.key === key;
  }
}

function detailsOf({ claim, used, limit, held = 0n }: FullBudget): Record<string, unknown> {
  return {
    rule: claim.refusal.rule,
    limit: limit.toString(),
    used: used.toString(),
    ...(held > 0n && { held: held.toString() }),
    unit: claim.unit,
    ...(claim.endsAtSeconds !== undefined && { resetsAtSeconds: claim.endsAtSeconds }),
  };
}
