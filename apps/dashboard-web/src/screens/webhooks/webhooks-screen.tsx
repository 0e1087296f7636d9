import { Badge, Button, Card, Group, List, Stack, Switch, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { webhooksQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Deliveries } from './deliveries';
import { Secrets } from './secrets';
import { TestButton } from './test-button';
import { EVENTS, WebhookForm } from './webhook-form';

type Webhook = Schemas['WebhookView'];

/** Who is told what happened, and whether it arrived. */
export function WebhooksScreen() {
  const { mayChangeKeys, mayReadAudit } = useRole();
  const webhooks = useQuery(webhooksQuery(useScope()));
  const [opened, { open, close }] = useDisclosure(false);
  const [secrets, setSecrets] = useState<readonly string[]>();
  const addButton = mayChangeKeys && <Button onClick={open}>New webhook</Button>;
  return (
    <Page title="Webhooks" sub="Who is told what happened, and whether it arrived." actions={addButton}>
      {secrets && <Secrets secrets={secrets} onClose={() => setSecrets(undefined)} />}
      <Load of={webhooks} what="The webhooks">
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title="No webhook yet" action={addButton}>
                Let your server know when an operation was signed or refused, when it landed, or when the wallet runs
                low.
              </Empty>
            </Card>
          ) : (
            <Stack>
              {!mayReadAudit && (
                <Text size="sm" c="dimmed">
                  You see the host of each address only: the rest may hold a secret, and your role sees no secrets.
                </Text>
              )}
              {list.map((webhook) => (
                <WebhookCard key={webhook.webhookId} webhook={webhook} onSecrets={setSecrets} />
              ))}
            </Stack>
          )
        }
      </Load>
      <EditDialog opened={opened} onClose={close} title="New webhook" size="lg">
        <WebhookForm
          onMade={(made) => {
            setSecrets(made);
            close();
          }}
        />
      </EditDialog>
    </Page>
  );
}

interface CardProps {
  readonly webhook: Webhook;
  readonly onSecrets: (secrets: readonly string[]) => void;
}

function WebhookCard({ webhook, onSecrets }: CardProps) {
  const scope = useScope();
  const { mayChangeKeys, mayReadAudit } = useRole();
  const queries = useQueryClient();
  const { open } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/webhooks' });
  const navigate = useNavigate();
  const { webhookId, webhookUrl, events, active } = webhook;
  const headers = headersOf(scope);
  const refresh = () => queries.invalidateQueries({ queryKey: webhooksQuery(scope).queryKey });
  const toggle = useMutation({
    mutationFn: () => contentOf(api.PATCH(`${SDK}/webhook`, { headers, body: { webhookId, active: !active } })),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/webhook`, { headers, body: { webhookId } })),
    onSuccess: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/webhook/rotate`, { headers, body: { webhookId } })),
    onSuccess: ({ secrets }) => onSecrets(secrets),
  });
  const show = useMutation({
    mutationFn: () => contentOf(api.GET(`${SDK}/webhook/secrets`, { headers, params: { query: { webhookId } } })),
    onSuccess: ({ secrets }) => onSecrets(secrets),
  });
  const isOpen = open === webhookId;
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div style={{ minWidth: 0, flex: '1 1 240px' }}>
            <Title order={2} size="h5" className="breaks">
              {webhookUrl}
            </Title>
            <Group gap={6} mt={4}>
              {events.length === 0 && (
                <Badge variant="light" color="violet" tt="none">
                  asked for every decision
                </Badge>
              )}
            </Group>
            {events.length > 0 && (
              <List size="sm">
                {EVENTS.filter(({ value }) => events.includes(value)).map(({ value, label }) => (
                  <List.Item key={value}>{label}</List.Item>
                ))}
              </List>
            )}
          </div>
          {mayChangeKeys && (
            <Group gap="xs">
              <Switch
                label="Active"
                checked={active}
                disabled={toggle.isPending}
                onChange={() => toggle.mutate()}
                aria-label={`${webhookUrl} is active`}
              />
              {events.length > 0 && (
                <TestButton
                  label={webhookUrl}
                  title="Test of the webhook"
                  send={() => contentOf(api.POST(`${SDK}/webhook/test`, { headers, body: { webhookId } }))}
                />
              )}
              <Button size="xs" variant="default" loading={show.isPending} onClick={() => show.mutate()}>
                Secrets
              </Button>
              <Confirm action="Replace the secret" {...asked(rotate)}>
                Messages are signed with a new secret and, for 24 hours, with the old one too. After that a server that
                knows the old one only refuses them.
              </Confirm>
              <Confirm action="Delete" label={`Delete ${webhookUrl}`} {...asked(remove)}>
                {events.length === 0
                  ? 'Your server is no longer asked: what it refused is sponsored.'
                  : 'Your server hears nothing more, also not of what is still to be delivered.'}
              </Confirm>
            </Group>
          )}
        </Group>
        {(toggle.error ?? show.error) && <Problem error={toggle.error ?? show.error} what="It was not done" />}
        {events.length > 0 && mayReadAudit && (
          <Group>
            <Button
              size="xs"
              variant="subtle"
              aria-expanded={isOpen}
              onClick={() => void navigate({ to: '.', search: isOpen ? {} : { open: webhookId }, resetScroll: false })}
            >
              {isOpen ? 'Hide the deliveries' : 'Show the deliveries'}
            </Button>
          </Group>
        )}
        {isOpen && mayReadAudit && <Deliveries webhookId={webhookId} />}
      </Stack>
    </Card>
  );
}
