import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { authTokensQuery, membersQuery, meQuery } from '../api/queries';
import { useRole, useScope } from '../shell/use-scope';
import type { KnownActors } from './actor-name';

/** The people and tokens whose names the reader may see. Who may not see people gets only himself, and no tokens. */
export function useKnownActors(): KnownActors {
  const { accountId } = useScope();
  const { mayReadPeople } = useRole();
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: members } = useQuery({ ...membersQuery(accountId), enabled: mayReadPeople });
  const { data: tokens = [] } = useQuery({ ...authTokensQuery(accountId), enabled: mayReadPeople });
  return { members: members ?? [me.person], tokens };
}
