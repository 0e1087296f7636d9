import type { Schemas } from '../../api/queries';
import type { Limit, Rules } from '../../policy/sentences';

export type SharedPolicy = Schemas['SharedPolicyView'];
export type SharedType = SharedPolicy['policyType'];

/** A shared policy as its editor has it. */
export interface SharedDraft {
  readonly name: string;
  readonly policyType: SharedType;
  readonly policyData: Schemas['CreateSharedPolicyDto']['policyData'];
  readonly paymasterIds: readonly string[];
}

export const SHARED_TYPES: readonly { value: SharedType; label: string; says: string }[] = [
  {
    value: 'SPENDING_LIMITS',
    label: 'Budget',
    says: 'Limits on all that these paymasters sponsor together, beside their own policies.',
  },
  {
    value: 'RULES',
    label: 'Rules',
    says: 'Who, what, how much and how often: sponsors what fits all its rules. Its budgets count over all of them.',
  },
];

/** A new shared policy of a kind, as the editor begins. */
export function emptyShared(policyType: SharedType): SharedDraft['policyData'] {
  const monthly: Limit = { scope: 'PAYMASTER', measure: 'USD', amount: '100', cycle: 'MONTH' };
  return policyType === 'RULES'
    ? ({ priority: 100, limits: [monthly] } satisfies Rules)
    : ({ limits: [monthly] } as never);
}

export function draftOf({ name, policyType, policyData, paymasterIds }: SharedPolicy): SharedDraft {
  return { name, policyType, policyData, paymasterIds };
}

/** Name, paymasters and rules beside each other, for what compares them field by field. */
export function fieldsOf({ name, policyData, paymasterIds }: SharedDraft) {
  return { ...(policyData as Readonly<Record<string, unknown>>), name, paymasterIds };
}
