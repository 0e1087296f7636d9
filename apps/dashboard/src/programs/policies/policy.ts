import type { RulesData } from '@paymaster/domain';
import type { CycleLimitData } from './policy-data/cycle-limit.data';

/** The kinds of policies (docs/architecture/rules.md). */
export const POLICY_TYPES = ['PAYMASTER_SA_LIMIT', 'WALLET_DEPLOYMENT', 'WEBHOOK', 'RULES'] as const;
export type PolicyType = (typeof POLICY_TYPES)[number];

/** What each kind holds, in the one form in which it is stored, shown, exported and compared. */
export interface PolicyDataOf {
  readonly PAYMASTER_SA_LIMIT: CycleLimitData;
  readonly WALLET_DEPLOYMENT: { readonly operator: 'walletDeployment' };
  readonly WEBHOOK: { readonly url: string };
  readonly RULES: RulesData;
}

/** A kind together with what it holds. */
export type PolicyContent = {
  [Type in PolicyType]: { readonly policyType: Type; readonly policyData: PolicyDataOf[Type] };
}[PolicyType];

/** One policy of a paymaster. */
export type Policy = PolicyContent & {
  readonly id: string;
  readonly paymasterId: string;
  /** The account that made it. */
  readonly createdBy: string;
  readonly name: string;
  /** Paused policies stay, and count for nothing. */
  readonly active: boolean;
  /** Grows with each change. */
  readonly version: number;
};
