import type { ArgumentRule, CycleLimit, NativeRules, SpendingLimit, SponsorshipPolicy } from '@paymaster/domain';
import type { Policy } from './policy';
import { unitsOf } from './policy-data/amount-rules';
import type { CycleLimitData } from './policy-data/cycle-limit.data';
import { thresholdUnits } from './policy-data/cycle-limit.dto';
import type { ArgumentRuleData, RulesData, SpendingLimitData } from './policy-data/rules.data';
import { amountKindOf } from './policy-data/rules.dto';

/** A policy as the gateway needs it: amounts in their smallest unit, nothing absent. */
export function toSponsorshipPolicy(policy: Policy): SponsorshipPolicy {
  const base = { policyId: policy.id, name: policy.name };
  switch (policy.policyType) {
    case 'PAYMASTER_SA_LIMIT':
      return { ...base, type: policy.policyType, limit: toCycleLimit(policy.policyData) };
    case 'WALLET_DEPLOYMENT':
      return { ...base, type: policy.policyType };
    case 'WEBHOOK':
      return {
        ...base,
        type: policy.policyType,
        webhook: { webhookId: policy.id, url: policy.policyData.url, method: 'POST', secretVersions: [1] },
      };
    case 'RULES':
      return {
        ...base,
        type: policy.policyType,
        priority: policy.policyData.priority,
        rules: toNativeRules(policy.policyData),
      };
  }
}

/** What a list of policies comes down to: the active ones, oldest first. */
export function toSponsorshipPolicies(
  policies: readonly Policy[],
  secretVersions: ReadonlyMap<string, readonly number[]> = new Map(),
): SponsorshipPolicy[] {
  return inOrder(policies.filter(({ active }) => active)).map((policy) => {
    const made = toSponsorshipPolicy(policy);
    const versions = secretVersions.get(policy.id);
    if (made.type !== 'WEBHOOK' || !versions) return made;
    return { ...made, webhook: { ...made.webhook, secretVersions: versions } };
  });
}

/** The order in which policies are asked: RULES by priority, the rest before them; all else as created. */
function inOrder(policies: readonly Policy[]): Policy[] {
  const rank = (policy: Policy): number => (policy.policyType === 'RULES' ? policy.policyData.priority : -1);
  return [...policies].sort((one, other) => rank(one) - rank(other));
}

function toCycleLimit(data: CycleLimitData): CycleLimit {
  return {
    subject: data.type,
    measure: data.thresholdType === 'COUNT' ? 'COUNT' : 'WEI',
    threshold: thresholdUnits(data),
    startTimeMs: data.startTimeInEpoch,
    durationMs: data.durationInMs,
  };
}

function toNativeRules(data: RulesData): NativeRules {
  return {
    startsAtSeconds: data.startsAt ?? null,
    endsAtSeconds: data.endsAt ?? null,
    allowedSenders: data.senders?.allow ?? null,
    deniedSenders: data.senders?.deny ?? [],
    maxCallValueWei: toWei(data.maxCallValueWei),
    maxTotalValueWei: toWei(data.maxTotalValueWei),
    arguments: (data.arguments ?? []).map(toArgumentRule),
    maxFeePercentOfBaseFee: data.maxFeePercentOfBaseFee ?? null,
    maxCallGasPercentOfEstimate: data.maxCallGasPercentOfEstimate ?? null,
    eip7702Delegates: data.eip7702Delegates ?? null,
    accountFactories: data.accountFactories ?? null,
    revertBreaker: data.revertBreaker ?? null,
    limits: (data.limits ?? []).map(toSpendingLimit),
  };
}

function toArgumentRule({ contract, method, index, operator, value }: ArgumentRuleData): ArgumentRule {
  return { contract, method, index, operator, values: [value].flat() as string[] };
}

/** The id is what the budget stays under: the amount may change, scope, measure and cycle may not. */
function toSpendingLimit({ scope, measure, amount, cycle }: SpendingLimitData): SpendingLimit {
  const units = unitsOf(amount, amountKindOf(measure));
  if (units === undefined) throw new Error(`a stored amount is none: ${amount} ${measure}`);
  const id = [scope, measure, ...(cycle ? [cycle] : [])].join('-');
  return { id, scope, measure, amount: units, cycle: cycle ?? 'LIFETIME' };
}

function toWei(digits: string | undefined): bigint | null {
  return digits === undefined ? null : BigInt(digits);
}
