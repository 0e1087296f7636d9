import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';
import type { BudgetClaim } from './ledger';

/** How full a budget was when it had no room. */
export interface FullBudget {
  readonly claim: BudgetClaim;
  readonly used: bigint;
  readonly limit: bigint;
  /** What of the use is the operation's own, as far as that was asked. */
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

  /** The same with what was looked at before. */
  after(earlier: readonly TraceLine[]): BudgetRefusedError {
    return new BudgetRefusedError(this.budget, [...earlier, ...this.trace]);
  }

  /** Whether this claim is the one without room. Rules may share their names; a key is of one budget. */
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
