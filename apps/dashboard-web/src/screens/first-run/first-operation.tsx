import { Card, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { newestOperationsQuery, unlessLive } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Load } from '../../ui/load';
import { OpenedOperation } from '../operations/opened-operation';

const WATCH_MS = 1_500;

/** Waits live for the first request, and shows what became of it. */
export function FirstOperation() {
  const scope = useScope();
  const newest = useQuery({ ...newestOperationsQuery(scope, {}, 1), refetchInterval: unlessLive(WATCH_MS) });
  return (
    <Stack gap="sm" aria-live="polite">
      <Title order={2} size="h4">
        What happens
      </Title>
      <Load of={newest} what="The operations">
        {({ operations: [operation] }) =>
          operation ? (
            <Card>
              <OpenedOperation operationId={operation.id} />
            </Card>
          ) : (
            <Group>
              <Loader size="sm" />
              <Text>Waiting for the first request. Run the code: what becomes of it appears here by itself.</Text>
            </Group>
          )
        }
      </Load>
    </Stack>
  );
}
