import { ZERO_ADDRESS, type Address, type SponsorshipPolicy } from '@paymaster/domain';
import { UNIT_OF, type Claim, type ClaimUnit } from './claim';
import { compileCycleLimit, cycleLimitClaim } from './cycle-limits';
import type { PricedOperation } from './native-rule';
import { compileSpendingLimits, spendingClaim, type CompiledSpendingLimit } from './spending-limits';

/** A limit over many operations, and the budget in which it is counted now. */
export interface CountedLimit {
  readonly perUser: boolean;
  readonly unit: ClaimUnit;
  readonly limit: bigint;
  /** Of the named account, where the limit is per user. */
  readonly claim: Claim;
}

/**
 * The limits of a policy that count over many operations, each with the budget of an account in the window of a time;
 * none for policies without such limits. An app's own users have budgets that no account names.
 */
export function limitsOf(
  { paymasterId, policy }: { readonly paymasterId: string; readonly policy: SponsorshipPolicy },
  { sender = ZERO_ADDRESS, nowSeconds }: { readonly sender?: Address | undefined; readonly nowSeconds: number },
): readonly CountedLimit[] {
  // Nothing is asked of the budgets, so nothing costs anything; a price of one keeps limits in USD countable.
  const priced: PricedOperation = {
    operation: { sender },
    nowSeconds,
    costs: { prechargeWei: 0n, microUsdPerNative: 1n },
  };
  const { policyId, name } = policy;
  switch (policy.type) {
    case 'PAYMASTER_SA_LIMIT': {
      const { limit } = policy;
      const claim = cycleLimitClaim(compileCycleLimit({ paymasterId, policyId, name, limit }), priced);
      return [
        { perUser: limit.subject === 'SMART_ACCOUNT', unit: UNIT_OF[limit.measure], limit: limit.threshold, claim },
      ];
    }
    case 'RULES': {
      const { sharedVersion, rules } = policy;
      return counted(
        compileSpendingLimits({ paymasterId, policyId, name, limits: rules.limits, sharedVersion }),
        priced,
      );
    }
    case 'SPENDING_LIMITS':
      return counted(compileSpendingLimits({ paymasterId, ...policy }), priced);
    case 'WALLET_DEPLOYMENT':
    case 'WEBHOOK':
      return [];
  }
}

function counted(limits: readonly CompiledSpendingLimit[], priced: PricedOperation): CountedLimit[] {
  return limits.flatMap((compiled) => {
    const claim = spendingClaim(compiled, priced);
    const { scope, measure, amount } = compiled.limit;
    return claim ? [{ perUser: scope === 'USER', unit: UNIT_OF[measure], limit: amount, claim }] : [];
  });
}
