import type { DecisionWebhook, PolicySnapshot, SponsorshipPolicy } from '@paymaster/domain';
import { compileCycleLimit, type CompiledCycleLimit } from './cycle-limits';
import { compileKeyLimits } from './key-limits';
import { addressSet, type NativeCheck } from './native-rule';
import { JUDGES } from './native-rules';
import { compileSpendingLimits, type CompiledSpendingLimit } from './spending-limits';

/** A `RULES` policy with what it asks, and nothing that it does not. */
export interface CompiledRulesPolicy {
  readonly policyId: string;
  readonly name: string;
  readonly checks: readonly { readonly rule: string; readonly check: NativeCheck }[];
  readonly limits: readonly CompiledSpendingLimit[];
  /** Some limit is counted in USD. */
  readonly needsPrice: boolean;
}

/** The policies of a snapshot, ready for operations. */
export interface CompiledPolicies {
  /** `WALLET_DEPLOYMENT` is there: deployments are sponsored without a call too. */
  readonly sponsorsDeployments: boolean;
  readonly cycleLimits: readonly CompiledCycleLimit[];
  /** Limits on all that is sponsored, which paymasters of the account share. */
  readonly sharedLimits: readonly CompiledSpendingLimit[];
  /** Some of them is counted in USD. */
  readonly sharedLimitsNeedPrice: boolean;
  readonly webhooks: readonly DecisionWebhook[];
  /** In the order they are tried; only those that the API key may use. */
  readonly rules: readonly CompiledRulesPolicy[];
  /** The API key may use certain `RULES` policies only: without any of them nothing is sponsored. */
  readonly needsPolicy: boolean;
  /** Of the API key itself. */
  readonly keyLimits: readonly CompiledSpendingLimit[];
  /** Some of them is counted in USD. */
  readonly keyLimitsNeedPrice: boolean;
  /** All delegates that any policy allows. */
  readonly eip7702Delegates: ReadonlySet<string>;
  /** What must be found out before the policies can be asked. */
  readonly needs: {
    /** An estimate of call gas, also where the client sent limits. */
    readonly estimate: boolean;
    /** The native coin's price in USD. */
    readonly price: boolean;
    /** Outcomes over windows of so many minutes. */
    readonly outcomesOfMinutes: readonly number[];
  };
}

type PolicyOf<Type extends SponsorshipPolicy['type']> = Extract<SponsorshipPolicy, { type: Type }>;

/** Compiles the policies of a snapshot; done once for each. */
export function compilePolicies({ paymasterId, policies, key }: PolicySnapshot): CompiledPolicies {
  const usable = key?.policyIds ?? null;
  const rulesPolicies = ofType(policies, 'RULES')
    .filter(({ policyId }) => usable === null || usable.includes(policyId))
    .sort((a, b) => a.priority - b.priority);
  const rules = rulesPolicies.map((policy) => compileRulesPolicy(paymasterId, policy));
  const sharedLimits = ofType(policies, 'SPENDING_LIMITS').flatMap((policy) =>
    compileSpendingLimits({ paymasterId, ...policy }),
  );
  const sharedLimitsNeedPrice = sharedLimits.some(({ limit }) => limit.measure === 'USD');
  const breakers = rulesPolicies.flatMap(({ rules: { revertBreaker } }) => revertBreaker?.windowMinutes ?? []);
  return {
    sponsorsDeployments: ofType(policies, 'WALLET_DEPLOYMENT').length > 0,
    cycleLimits: ofType(policies, 'PAYMASTER_SA_LIMIT').map(({ policyId, name, limit }) =>
      compileCycleLimit({ paymasterId, policyId, name, limit }),
    ),
    sharedLimits,
    sharedLimitsNeedPrice,
    webhooks: ofType(policies, 'WEBHOOK').map(({ webhook }) => webhook),
    rules,
    needsPolicy: usable !== null,
    keyLimits: compileKeyLimits(paymasterId, key),
    keyLimitsNeedPrice: key?.limits.some(({ measure }) => measure === 'USD') ?? false,
    eip7702Delegates: addressSet(rulesPolicies.flatMap(({ rules: { eip7702Delegates } }) => eip7702Delegates ?? [])),
    needs: {
      estimate: rulesPolicies.some(
        ({ rules: { maxCallGasPercentOfEstimate } }) => maxCallGasPercentOfEstimate !== null,
      ),
      price: sharedLimitsNeedPrice || rules.some(({ needsPrice }) => needsPrice),
      outcomesOfMinutes: [...new Set(breakers)],
    },
  };
}

function compileRulesPolicy(paymasterId: string, policy: PolicyOf<'RULES'>): CompiledRulesPolicy {
  const { policyId, name, rules, sharedVersion } = policy;
  return {
    policyId,
    name,
    checks: Object.values(JUDGES).flatMap((rule) => {
      const check = rule.compile(rules);
      return check ? [{ rule: `${name}: ${rule.name}`, check }] : [];
    }),
    limits: compileSpendingLimits({ paymasterId, policyId, name, limits: rules.limits, sharedVersion }),
    needsPrice: rules.limits.some(({ measure }) => measure === 'USD'),
  };
}

/** A new array: stable sorting keeps the order of equal priorities. */
function ofType<Type extends SponsorshipPolicy['type']>(
  policies: readonly SponsorshipPolicy[],
  type: Type,
): PolicyOf<Type>[] {
  return policies.filter((policy): policy is PolicyOf<Type> => policy.type === type);
}
