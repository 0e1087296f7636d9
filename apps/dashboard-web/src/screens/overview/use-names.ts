import { queryOptions, useQuery } from '@tanstack/react-query';
import { contractNamesQuery, contractsQuery, keysQuery, policiesQuery, tokensQuery } from '../../api/queries';
import { whenReachable } from '../../api/when-reachable';
import { useScope } from '../../shell/use-scope';
import { partName, type Part } from './part-name';

/** What reads ABIs. It is large, and only methods are named by it. */
const namingQuery = queryOptions({
  queryKey: ['script', 'decode-call'],
  queryFn: () => whenReachable(() => import('../../abi/decode-call')),
  staleTime: Infinity,
});

/** Names of the parts; undefined for a part that has none. */
export function useNames(part: Part): (key: string) => string | undefined {
  const scope = useScope();
  const { data: named = [] } = useQuery(contractNamesQuery(scope));
  // Only methods are named by ABIs.
  const { data: contracts = named } = useQuery({ ...contractsQuery(scope), enabled: part === 'method' });
  const { data: policies = [] } = useQuery({ ...policiesQuery(scope), enabled: part === 'policy' });
  const { data: keys = [] } = useQuery({ ...keysQuery(scope), enabled: part === 'key' });
  const { data: tokens = [] } = useQuery({ ...tokensQuery(scope), enabled: part === 'token' });
  const { data: naming } = useQuery({ ...namingQuery, enabled: part === 'method' });
  return (key) => partName(part, key, { contracts, policies, keys, tokens }, naming?.nameCall);
}
