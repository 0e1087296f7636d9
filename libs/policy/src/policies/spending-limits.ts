import type { SpendingLimit } from '@paymaster/domain';
import { pass, refuse, skip, type Refusal } from './verdict';
import { amountIn, budgetKey, subjectOf, UNIT_OF, type Claim } from './claim';
import { calendarWindow } from './limit-windows';
import type { NativeRule, PricedOperation } from './native-rule';

const REFUSED = 'SPENDING_LIMIT_REACHED' as const;

/** Limits on one operation need no memory, so they are decided here. */
export const operationLimits: NativeRule = {
  name: 'operationLimits',
  compile: ({ limits }) => {
    const ofOperation = limits.filter(({ scope }) => scope === 'OPERATION');
    if (ofOperation.length === 0) return undefined;
    return ({ costs }) => {
      if (!costs) return skip('costs are not known yet');
      for (const limit of ofOperation) {
        const amount = amountIn(UNIT_OF[limit.measure], costs);
        // Without a price nobody can say; the candidate is marked, and the caller answers that.
        if (amount !== undefined && amount > limit.amount)
          return refuse(compare(amount, limit), tooDear(amount, limit));
      }
      return pass(`${ofOperation.length} limits`);
    };
  },
};

function compare(amount: bigint, limit: SpendingLimit): string {
  return `${amount} <= ${limit.amount} ${UNIT_OF[limit.measure]}`;
}

function tooDear(amount: bigint, limit: SpendingLimit): Refusal {
  return {
    reason: REFUSED,
    message: 'The operation could cost more than is sponsored for one operation',
    details: { rule: limit.id, value: amount.toString(), limit: limit.amount.toString() },
  };
}

/** A limit over many operations, ready to be claimed. */
export interface CompiledSpendingLimit {
  readonly keyPrefix: string;
  readonly rule: string;
  readonly limit: SpendingLimit;
}

export function compileSpendingLimits(input: {
  paymasterId: string;
  policyId: string;
  name: string;
  limits: readonly SpendingLimit[];
}): readonly CompiledSpendingLimit[] {
  const { paymasterId, policyId, name, limits } = input;
  return limits
    .filter(({ scope }) => scope !== 'OPERATION')
    .map((limit) => ({
      // What is counted is part of the name: a budget never changes its unit.
      keyPrefix: budgetKey([paymasterId, policyId, limit.id, limit.scope, limit.measure, limit.cycle]),
      rule: `${name}: limit per ${limit.scope} and ${limit.cycle}`,
      limit,
    }));
}

/** What an operation asks of a limit; undefined when it is counted in USD and no price is known. */
export function spendingClaim(
  { keyPrefix, rule, limit }: CompiledSpendingLimit,
  { operation, user, nowSeconds, costs }: PricedOperation,
): Claim | undefined {
  const unit = UNIT_OF[limit.measure];
  const amount = amountIn(unit, costs);
  if (amount === undefined) return undefined;
  const window = calendarWindow(limit.cycle, nowSeconds);
  const perSender = limit.scope === 'USER';
  return {
    key: budgetKey([keyPrefix, (perSender ? user : undefined) ?? subjectOf(perSender, operation.sender), window.name]),
    live: false,
    unit,
    amount,
    limit: limit.amount,
    ...(unit === 'microUsd' && { microUsdPerNative: costs.microUsdPerNative }),
    ...(window.endsAtSeconds !== undefined && { endsAtSeconds: window.endsAtSeconds }),
    refusal: {
      rule,
      reason: REFUSED,
      message: perSender
        ? `The spending limit of ${user === undefined ? `account ${operation.sender}` : 'this user'} is used up`
        : 'The spending limit of this paymaster is used up',
    },
  };
}
