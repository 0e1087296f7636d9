import { ActionIcon } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { policiesQuery } from '../../api/queries';
import { moved, ruled, type Placed } from '../../policy/order';
import { useScope } from '../../shell/use-scope';
import { Icon } from '../../ui/icon';
import { Tooltip } from '../../ui/tooltip';

const WAYS = [
  { by: -1, word: 'earlier', icon: 'up' },
  { by: 1, word: 'later', icon: 'down' },
] as const;

/** Moves a policy among those whose order counts. Nothing where there is no other such policy. */
export function MovePolicy({ policy }: { readonly policy: Placed & { readonly name: string } }) {
  const scope = useScope();
  const queries = useQueryClient();
  const { queryKey } = policiesQuery(scope);
  const { data: policies = [] } = useQuery(policiesQuery(scope));
  const move = useMutation({
    mutationFn: async (by: -1 | 1) => {
      for (const { policyId, priority } of moved(policies, policy._id, by)) {
        await contentOf(
          api.PATCH(`${SDK}/paymaster-policy/{policyId}`, {
            params: { path: { policyId } },
            headers: headersOf(scope),
            body: { priority },
          }),
        );
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
    onError: (error) => notifications.show({ color: 'red', title: 'The policy was not moved', message: error.message }),
  });
  const list = ruled(policies);
  if (list.length < 2 || !list.some(({ _id }) => _id === policy._id)) return null;
  return (
    <ActionIcon.Group>
      {WAYS.map(({ by, word, icon }) => {
        // It stays in the order of Tab: who presses it until the policy is the first keeps the focus.
        const isEnd = list.at(by === -1 ? 0 : -1)?._id === policy._id;
        return (
          <Tooltip key={word} label={isEnd ? `It is asked ${by === -1 ? 'first' : 'last'}` : `Ask it ${word}`}>
            <ActionIcon
              variant="default"
              size={30}
              aria-label={`Ask ${policy.name} ${word}`}
              aria-disabled={isEnd}
              data-disabled={isEnd || undefined}
              onClick={() => !isEnd && !move.isPending && move.mutate(by)}
            >
              <Icon name={icon} size={14} />
            </ActionIcon>
          </Tooltip>
        );
      })}
    </ActionIcon.Group>
  );
}
