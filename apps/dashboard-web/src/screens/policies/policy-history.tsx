import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { historyQuery } from '../../api/queries';
import { actorName } from '../../audit/actor-name';
import { linesOf } from '../../audit/lines-of';
import { useKnownActors } from '../../audit/use-known-actors';
import { useChain, useScope } from '../../shell/use-scope';
import { Difference } from '../../ui/difference';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { When } from '../../ui/when';

/** Who changed a policy when, and what it said before and after. */
export function PolicyHistory({ policyId }: { readonly policyId: string }) {
  const { symbol } = useChain();
  const known = useKnownActors();
  const history = useQuery(historyQuery(useScope(), policyId));
  return (
    <Load of={history} what="The history">
      {(changes) =>
        changes.length === 0 ? (
          <Empty title="No change is written down">The policy is as it was made.</Empty>
        ) : (
          <Stack gap="lg">
            {changes.map((change) => (
              <div key={change.version}>
                <Group gap="xs">
                  <Badge variant="light" tt="none">
                    {change.action}
                  </Badge>
                  <Text size="sm">
                    <When iso={change.at} />, version {change.version}, by {actorName(change, known)}
                  </Text>
                </Group>
                <Difference
                  before={linesOf('policy', change.before, symbol)}
                  after={linesOf('policy', change.after, symbol)}
                  same="It was saved without a change."
                />
              </div>
            ))}
          </Stack>
        )
      }
    </Load>
  );
}
