import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { alertDeliveriesQuery, alertsQuery } from '../../api/queries';
import { useChain, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { Attempts, Said } from '../webhooks/deliveries';
import { ReceiverCard, ReceiversScreen } from '../webhooks/receivers';
import { TestButton } from '../webhooks/test-button';
import { alertLines, draftOf, KINDS, type Alert } from './alert-draft';
import { AlertForm } from './alert-form';

/** Who is told when something is wrong. */
export function AlertsScreen() {
  return (
    <ReceiversScreen
      kind="Alert"
      sub="Who is told when something is wrong, and how."
      of={useQuery(alertsQuery(useScope()))}
      whileEmpty="Let somebody know by mail or in a chat when the wallet runs low, a limit is used up, or users are refused."
      card={(alert) => <AlertCard key={alert.alertId} alert={alert} />}
      form={(onMade) => <AlertForm onDone={(secret) => onMade(secret === undefined ? undefined : [secret])} />}
    />
  );
}

function AlertCard({ alert }: { readonly alert: Alert }) {
  const scope = useScope();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const [isEdited, { open: edit, close }] = useDisclosure(false);
  const { alertId, name, kind, destination, active, version } = alert;
  const request = { headers: headersOf(scope), params: { path: { alertId } } };
  const refresh = () => queries.invalidateQueries({ queryKey: alertsQuery(scope).queryKey });
  const toggle = useMutation({
    mutationFn: () =>
      contentOf(
        api.PATCH(`${SDK}/alerts/{alertId}`, { ...request, body: { active: !active, expectedVersion: version } }),
      ),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/alerts/{alertId}`, request)),
    onSuccess: refresh,
  });
  return (
    <>
      <ReceiverCard
        {...{ id: alertId, title: name, active, toggle }}
        about={
          <Group gap={6} mt={4}>
            <Badge variant="light" tt="none">
              {KINDS[kind]}
            </Badge>
            <Text size="sm" className="breaks">
              {destination}
            </Text>
          </Group>
        }
        buttons={
          <>
            <TestButton
              label={name}
              title="Test of the alert"
              send={() => contentOf(api.POST(`${SDK}/alerts/{alertId}/test`, request))}
            />
            <Button size="xs" variant="default" onClick={edit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
            <Confirm action="Delete" label={`Delete ${name}`} {...asked(remove)}>
              Nobody is told there any more, also not of what still waits.
            </Confirm>
          </>
        }
        log={{ name: 'what was told', content: <Told alertId={alertId} /> }}
      >
        <Stack gap={4}>
          {alertLines(draftOf(alert), symbol).map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
        </Stack>
      </ReceiverCard>
      <EditDialog opened={isEdited} onClose={close} title={`Alert ${name}`} size="lg">
        <AlertForm alert={alert} onDone={close} />
      </EditDialog>
    </>
  );
}

function Told({ alertId }: { readonly alertId: string }) {
  const deliveries = useQuery(alertDeliveriesQuery(useScope(), alertId));
  return (
    <Load of={deliveries} what="What was told">
      {(list) =>
        list.length === 0 ? (
          <Empty title="Nothing was told yet">What there is to tell appears here.</Empty>
        ) : (
          <WideTable label="What was told" minWidth={680} columns={['What', 'State', 'Answer', 'Time']}>
            {list.map((delivery) => (
              <Table.Tr key={delivery.deliveryId}>
                <Table.Td className="breaks">{delivery.text}</Table.Td>
                <Table.Td>
                  <Attempts of={delivery} />
                </Table.Td>
                <Table.Td className="breaks">
                  <Said delivery={delivery} />
                </Table.Td>
                <Table.Td>
                  <When iso={delivery.createdAt} relative />
                </Table.Td>
              </Table.Tr>
            ))}
          </WideTable>
        )
      }
    </Load>
  );
}
