import { useQuery } from '@tanstack/react-query';
import { contractsQuery, keysQuery, policiesQuery, tokensQuery } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { partName, type Part } from './part-name';

/** Names of the parts; undefined for a part that has none. */
export function useNames(part: Part): (key: string) => string | undefined {
  const scope = useScope();
  const { data: contracts = [] } = useQuery(contractsQuery(scope));
  const { data: policies = [] } = useQuery({ ...policiesQuery(scope), enabled: part === 'policy' });
  const { data: keys = [] } = useQuery({ ...keysQuery(scope), enabled: part === 'key' });
  const { data: tokens = [] } = useQuery({ ...tokensQuery(scope), enabled: part === 'token' });
  return (key) => partName(part, key, { contracts, policies, keys, tokens });
}
