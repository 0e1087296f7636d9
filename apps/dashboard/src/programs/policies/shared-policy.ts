import { nativeRulesOf, spendingLimitsOf, type SpendingLimitsData, type SponsorshipPolicy } from '@paymaster/domain';
import type { PolicyDataOf } from './policy';

/** The kinds of shared policies: limits on all that is sponsored, or a policy that sponsors. */
export const SHARED_POLICY_TYPES = ['SPENDING_LIMITS', 'RULES'] as const;
export type SharedPolicyType = (typeof SHARED_POLICY_TYPES)[number];

/** A kind together with what it holds. */
export type SharedPolicyContent =
  | { readonly policyType: 'SPENDING_LIMITS'; readonly policyData: SpendingLimitsData }
  | { readonly policyType: 'RULES'; readonly policyData: PolicyDataOf['RULES'] };

/** A policy of an account, in force for several of its paymasters: its limits count over all of them. */
export type SharedPolicy = SharedPolicyContent & {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** Grows with each change. */
  readonly version: number;
};

/** A shared policy as the gateway needs it. @throws {Error} for one that a later version has stored */
export function sharedToSponsorshipPolicy(policy: SharedPolicy): SponsorshipPolicy {
  const base = { policyId: policy.id, name: policy.name, sharedVersion: policy.version };
  switch (policy.policyType) {
    case 'SPENDING_LIMITS':
      return { ...base, type: policy.policyType, limits: spendingLimitsOf(policy.policyData) };
    case 'RULES': {
      const { priority } = policy.policyData;
      return { ...base, type: policy.policyType, priority, rules: nativeRulesOf(policy.policyData) };
    }
    default:
      // The gateways would sponsor without it.
      throw new Error(`a stored shared policy has a type that this version does not know`);
  }
}
