import type { CycleLimit } from '@paymaster/domain';
import { amountIn, budgetKey, subjectOf, UNIT_OF, type Claim } from './claim';
import { fixedWindow } from './limit-windows';
import type { PricedOperation } from './native-rule';

/** An active `PAYMASTER_SA_LIMIT` of a paymaster. */
export interface CompiledCycleLimit {
  readonly keyPrefix: string;
  readonly rule: string;
  readonly limit: CycleLimit;
}

export function compileCycleLimit(input: {
  paymasterId: string;
  policyId: string;
  name: string;
  limit: CycleLimit;
}): CompiledCycleLimit {
  const { paymasterId, policyId, name, limit } = input;
  return {
    // An edited limit starts anew, so its start is part of the name, and so is what it counts.
    keyPrefix: budgetKey([paymasterId, policyId, limit.startTimeMs, limit.subject, limit.measure]),
    rule: `${name}: limit per ${limit.subject}`,
    limit,
  };
}

/** What an operation asks of a `PAYMASTER_SA_LIMIT`. */
export function cycleLimitClaim({ keyPrefix, rule, limit }: CompiledCycleLimit, priced: PricedOperation): Claim {
  const { operation, nowSeconds, costs } = priced;
  const window = fixedWindow(limit, nowSeconds);
  const unit = UNIT_OF[limit.measure];
  return {
    key: budgetKey([keyPrefix, subjectOf(limit.subject === 'SMART_ACCOUNT', operation.sender), window.name]),
    live: false,
    unit,
    // Neither of the two measures needs a price.
    amount: amountIn(unit, costs) ?? costs.prechargeWei,
    limit: limit.threshold,
    endsAtSeconds: window.endsAtSeconds,
    refusal: {
      rule,
      reason: 'SPENDING_LIMIT_REACHED',
      message:
        limit.subject === 'SMART_ACCOUNT'
          ? `The spending limit of account ${operation.sender} is used up for now`
          : 'The spending limit of this paymaster is used up for now',
    },
  };
}
