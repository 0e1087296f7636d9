import { Badge, Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { deliveriesQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';

const STATUSES = { pending: 'waiting', delivered: 'arrived', dead: 'given up' } as const;
const COLORS = { pending: 'blue', delivered: 'green', dead: 'red' } as const;

/** The log of a webhook: what was sent, what the server said, and what can be sent again. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const scope = useScope();
  const { mayChangeKeys } = useRole();
  const queries = useQueryClient();
  const deliveries = useQuery(deliveriesQuery(scope, webhookId));
  const replay = useMutation({
    mutationFn: (deliveryId?: string) =>
      contentOf(
        api.POST(`${SDK}/webhook/replay`, {
          headers: headersOf(scope),
          body: { webhookId, ...(deliveryId && { deliveryId }) },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: deliveriesQuery(scope, webhookId).queryKey }),
  });
  return (
    <Load of={deliveries} what="The deliveries">
      {(list) =>
        list.length === 0 ? (
          <Empty title="Nothing was delivered yet">The next operation that fits the events appears here.</Empty>
        ) : (
          <Stack gap="xs">
            {replay.error && <Problem error={replay.error} what="Nothing was sent again" />}
            {mayChangeKeys && list.some(({ status }) => status === 'dead') && (
              <Group>
                <Button size="xs" variant="default" loading={replay.isPending} onClick={() => replay.mutate(undefined)}>
                  Send all that were given up again
                </Button>
              </Group>
            )}
            <WideTable label="Deliveries" minWidth={680} columns={['Event', 'State', 'Answer', 'Time', 'Actions']}>
              {list.map((delivery) => (
                <Table.Tr key={delivery.deliveryId}>
                  <Table.Td>{delivery.type}</Table.Td>
                  <Table.Td>
                    <Attempts of={delivery} />
                  </Table.Td>
                  <Table.Td className="breaks">
                    <Said delivery={delivery} />
                  </Table.Td>
                  <Table.Td>
                    <When iso={delivery.createdAt} relative />
                  </Table.Td>
                  <Table.Td>
                    {mayChangeKeys && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        loading={replay.isPending && replay.variables === delivery.deliveryId}
                        onClick={() => replay.mutate(delivery.deliveryId)}
                      >
                        Send again
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </WideTable>
          </Stack>
        )
      }
    </Load>
  );
}

export function Attempts({ of: { status, attempts } }: { readonly of: Schemas['DeliveryView'] }) {
  return (
    <Badge variant="light" color={COLORS[status]} tt="none">
      {STATUSES[status]}, {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
    </Badge>
  );
}

/** What the receiver said. */
export function Said({ delivery }: { readonly delivery: Schemas['DeliveryView'] }) {
  const { lastStatus, lastAnswer, lastProblem, nextAttemptAt } = delivery;
  return (
    <Text size="sm" component="div">
      {lastProblem ?? (lastStatus === null ? 'not sent yet' : `HTTP ${lastStatus}`)}
      {lastAnswer && (
        <>
          {' '}
          <Code>{lastAnswer.slice(0, 120)}</Code>
        </>
      )}
      {nextAttemptAt && (
        <>
          ; the next attempt is <When iso={nextAttemptAt} relative />
        </>
      )}
    </Text>
  );
}
