import { Badge, Button, Card, Group, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { alertDeliveriesQuery, alertsQuery } from '../../api/queries';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { Attempts, Said } from '../webhooks/deliveries';
import { Secrets } from '../webhooks/secrets';
import { TestButton } from '../webhooks/test-button';
import { alertLines, draftOf, KINDS, type Alert } from './alert-draft';
import { AlertForm } from './alert-form';

/** Who is told when something is wrong. */
export function AlertsScreen() {
  const { mayChangeKeys } = useRole();
  const alerts = useQuery(alertsQuery(useScope()));
  const [opened, { open, close }] = useDisclosure(false);
  const [secret, setSecret] = useState<string>();
  const addButton = mayChangeKeys && <Button onClick={open}>New alert</Button>;
  return (
    <Page title="Alerts" sub="Who is told when something is wrong, and how." actions={addButton}>
      {secret && <Secrets secrets={[secret]} onClose={() => setSecret(undefined)} />}
      <Load of={alerts} what="The alerts">
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title="No alert yet" action={addButton}>
                Let somebody know by mail or in a chat when the wallet runs low, a limit is used up, or users are
                refused.
              </Empty>
            </Card>
          ) : (
            <Stack>
              {list.map((alert) => (
                <AlertCard key={alert.alertId} alert={alert} />
              ))}
            </Stack>
          )
        }
      </Load>
      <EditDialog opened={opened} onClose={close} title="New alert" size="lg">
        <AlertForm
          onDone={(made) => {
            setSecret(made);
            close();
          }}
        />
      </EditDialog>
    </Page>
  );
}

function AlertCard({ alert }: { readonly alert: Alert }) {
  const scope = useScope();
  const { symbol } = useChain();
  const { mayChangeKeys, mayReadAudit } = useRole();
  const queries = useQueryClient();
  const { open } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/alerts' });
  const navigate = useNavigate();
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
  const isOpen = open === alertId;
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div style={{ minWidth: 0, flex: '1 1 240px' }}>
            <Title order={2} size="h5" className="breaks">
              {name}
            </Title>
            <Group gap={6} mt={4}>
              <Badge variant="light" tt="none">
                {KINDS[kind]}
              </Badge>
              <Text size="sm" className="breaks">
                {destination}
              </Text>
            </Group>
          </div>
          {mayChangeKeys && (
            <Group gap="xs">
              <Switch
                label="Active"
                checked={active}
                disabled={toggle.isPending}
                onChange={() => toggle.mutate()}
                aria-label={`${name} is active`}
              />
              <TestButton
                label={name}
                title="Test of the alert"
                send={() => contentOf(api.POST(`${SDK}/alerts/{alertId}/test`, request))}
              />
              <Button size="xs" variant="default" onClick={edit} aria-label={`Edit ${name}`}>
                Edit
              </Button>
              <Confirm
                action="Delete"
                label={`Delete ${name}`}
                onConfirm={() => remove.mutateAsync()}
                isPending={remove.isPending}
                error={remove.error}
              >
                Nobody is told there any more, also not of what still waits.
              </Confirm>
            </Group>
          )}
        </Group>
        {toggle.error && <Problem error={toggle.error} what="It was not done" />}
        <Stack gap={4}>
          {alertLines(draftOf(alert), symbol).map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
        </Stack>
        {mayReadAudit && (
          <Group>
            <Button
              size="xs"
              variant="subtle"
              aria-expanded={isOpen}
              onClick={() => void navigate({ to: '.', search: isOpen ? {} : { open: alertId }, resetScroll: false })}
            >
              {isOpen ? 'Hide what was told' : 'Show what was told'}
            </Button>
          </Group>
        )}
        {isOpen && mayReadAudit && <Told alertId={alertId} />}
      </Stack>
      <EditDialog opened={isEdited} onClose={close} title={`Alert ${name}`} size="lg">
        <AlertForm alert={alert} onDone={close} />
      </EditDialog>
    </Card>
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
