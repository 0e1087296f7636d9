import { Badge, Code, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { historyQuery, type Schemas } from '../../api/queries';
import { sentencesOf } from '../../policy/sentences';
import { useChain, useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { When } from '../../ui/when';

/** Who changed a policy when, and what it said before and after. */
export function PolicyHistory({ policyId }: { readonly policyId: string }) {
  const { symbol } = useChain();
  const history = useQuery(historyQuery(useScope(), policyId));
  const said = (policy: Schemas['LoggedPolicy'] | null) =>
    policy ? [policy.active ? 'Active.' : 'Paused.', ...sentencesOf(policy.policyType, policy.policyData, symbol)] : [];
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
                    <When iso={change.at} />, version {change.version}, by token <Code>{change.tokenIdPrefix}</Code>
                  </Text>
                </Group>
                <Difference before={said(change.before)} after={said(change.after)} />
              </div>
            ))}
          </Stack>
        )
      }
    </Load>
  );
}

function Difference({ before, after }: { readonly before: readonly string[]; readonly after: readonly string[] }) {
  const gone = before.filter((sentence) => !after.includes(sentence));
  const come = after.filter((sentence) => !before.includes(sentence));
  return (
    <List size="sm" mt={4} listStyleType="none" withPadding={false}>
      {gone.map((sentence) => (
        <List.Item key={`- ${sentence}`}>
          <Text size="sm" component="del" c="dimmed">
            {sentence}
          </Text>
        </List.Item>
      ))}
      {come.map((sentence) => (
        <List.Item key={`+ ${sentence}`}>
          <Text size="sm" component="ins" td="none" fw={500}>
            {sentence}
          </Text>
        </List.Item>
      ))}
      {gone.length + come.length === 0 && <List.Item>Only its name or order changed.</List.Item>}
    </List>
  );
}
