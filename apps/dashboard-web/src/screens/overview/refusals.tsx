import { Anchor, Card, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import whens from 'virtual:refusal-texts/when';
import type { Operation } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Reason } from '../../ui/reason';

const SHOWN = 5;

/** Why requests were refused lately, the most frequent reason first. */
export function Refusals({ operations }: { readonly operations: readonly Operation[] }) {
  const { accountId, paymasterId } = useScope();
  const counts = Map.groupBy(operations, ({ reason }) => reason ?? 'UNKNOWN');
  const top = [...counts].sort(([, a], [, b]) => b.length - a.length).slice(0, SHOWN);
  return (
    <Card>
      <Title order={2} size="h4" mb="sm">
        Why requests were refused
      </Title>
      {top.length === 0 ? (
        <Empty title="No request was refused">When one is, its reason stands here, with what to do.</Empty>
      ) : (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            Of the latest {operations.length} refusals
          </Text>
          {top.map(([reason, list]) => (
            <div key={reason}>
              <Anchor
                component={Link}
                to={`/a/${accountId}/p/${paymasterId}/operations?state=refused&reason=${reason}`}
                fw={600}
                className="breaks"
              >
                <Reason reason={reason} />
              </Anchor>
              <Text size="sm">
                {list.length}×: {whens[reason]}
              </Text>
              <Progress
                value={(list.length / operations.length) * 100}
                size="sm"
                mt={4}
                aria-label={`${list.length} of ${operations.length} refusals`}
              />
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}
