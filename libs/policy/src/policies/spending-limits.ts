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
        // Stryker disable next-line ConditionalExpression: undefined is greater than no number, so the comparison says no
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

/** Stands where the paymaster's id stands in keys of budgets that several paymasters share; no id looks like it. */
const SHARED = 'shared';

/** A limit over many operations, ready to be claimed. */
export interface CompiledSpendingLimit {
  readonly keyPrefix: string;
  readonly rule: string;
  readonly limit: SpendingLimit;
  /** Of the policy, where several paymasters share it; else null. */
  readonly sharedVersion: number | null;
}

export function compileSpendingLimits(input: {
  paymasterId: string;
  policyId: string;
  name: string;
  limits: readonly SpendingLimit[];
  sharedVersion: number | null;
}): readonly CompiledSpendingLimit[] {
  const { paymasterId, policyId, name, limits, sharedVersion } = input;
  const owner = sharedVersion === null ? paymasterId : SHARED;
  const kind = sharedVersion === null ? 'limit' : 'shared limit';
  return limits
    .filter(({ scope }) => scope !== 'OPERATION')
    .map((limit) => ({
      // What is counted is part of the name: a budget never changes its unit.
      keyPrefix: budgetKey([owner, policyId, limit.id, limit.scope, limit.measure, limit.cycle]),
      rule: `${name}: ${kind} per ${limit.scope} and ${limit.cycle}`,
      limit,
      sharedVersion,
    }));
}

/** What an operation asks of a limit; undefined when it is counted in USD and no price is known. */
export function spendingClaim(
  { keyPrefix, rule, limit, sharedVersion }: CompiledSpendingLimit,
  { operation, user: own, sharedUser, nowSeconds, costs }: PricedOperation,
): Claim | undefined {
  const isShared = sharedVersion !== null;
  const user = isShared ? sharedUser : own;
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
    ...(isShared && { version: sharedVersion }),
    ...(unit === 'microUsd' && { microUsdPerNative: costs.microUsdPerNative }),
    ...(window.endsAtSeconds !== undefined && { endsAtSeconds: window.endsAtSeconds }),
    refusal: {
      rule,
      reason: REFUSED,
      message: perSender
        ? `The spending limit of ${user === undefined ? `account ${operation.sender}` : 'this user'} is used up`
        : `The spending limit ${isShared ? 'that this paymaster shares with others' : 'of this paymaster'} is used up`,
    },
  };
}
