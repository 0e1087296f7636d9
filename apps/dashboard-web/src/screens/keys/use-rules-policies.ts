import { useQuery } from '@tanstack/react-query';
import { policiesQuery, sharedPoliciesQuery } from '../../api/queries';
import { useScope } from '../../shell/use-scope';

interface RulesPolicy {
  readonly policyId: string;
  readonly name: string;
}

/** The RULES policies that a key can be bound to: those of the paymaster, and those that it shares. */
export function useRulesPolicies() {
  const scope = useScope();
  const { data: own = [] } = useQuery(policiesQuery(scope));
  const { data: shared = [] } = useQuery(sharedPoliciesQuery(scope.accountId));
  const policies: RulesPolicy[] = [
    ...own.filter(({ policyType }) => policyType === 'RULES').map(({ _id, name }) => ({ policyId: _id, name })),
    ...shared.filter(
      ({ policyType, paymasterIds }) => policyType === 'RULES' && paymasterIds.includes(scope.paymasterId),
    ),
  ];
  return { policies, policyName: (id: string) => policies.find(({ policyId }) => policyId === id)?.name };
}
