import { nativeRulesOf, type CycleLimit, type SponsorshipPolicy } from '@paymaster/domain';
import type { Policy } from './policy';
import type { CycleLimitData } from './policy-data/cycle-limit.data';
import { thresholdUnits } from './policy-data/cycle-limit.dto';

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
        rules: nativeRulesOf(policy.policyData),
        sharedVersion: null,
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
