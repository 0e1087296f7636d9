import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { contractsQuery, policiesQuery, sharedPoliciesQuery, tokensQuery } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import type { Known } from './row-texts';

const NOTHING: readonly never[] = [];

/** What is registered for the paymaster of the URL; the same object until that changes. */
export function useKnown(): Known {
  const scope = useScope();
  const { data: contracts = NOTHING } = useQuery(contractsQuery(scope));
  const { data: own = NOTHING } = useQuery(policiesQuery(scope));
  const { data: shared = NOTHING } = useQuery(sharedPoliciesQuery(scope.accountId));
  const { data: tokens = NOTHING } = useQuery(tokensQuery(scope));
  return useMemo(() => {
    const names = [
      ...own.map(({ _id, name }) => [_id, name] as const),
      ...shared.map(({ policyId, name }) => [policyId, name] as const),
    ];
    return { contracts, policies: new Map(names), tokens };
  }, [contracts, own, shared, tokens]);
}
