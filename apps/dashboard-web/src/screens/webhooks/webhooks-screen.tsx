import { Badge, Button, List, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { webhooksQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { Deliveries } from './deliveries';
import { ReceiverCard, ReceiversScreen } from './receivers';
import { TestButton } from './test-button';
import { EVENTS, WebhookForm } from './webhook-form';

type Webhook = Schemas['WebhookView'];

/** Who is told what happened, and whether it arrived. */
export function WebhooksScreen() {
  const { mayReadAudit } = useRole();
  return (
    <ReceiversScreen
      kind="Webhook"
      sub="Who is told what happened, and whether it arrived."
      of={useQuery(webhooksQuery(useScope()))}
      whileEmpty="Let your server know when an operation was signed or refused, when it landed, or when the wallet runs low."
      note={
        !mayReadAudit && (
          <Text size="sm" c="dimmed">
            You see the host of each address only: the rest may hold a secret, and your role sees no secrets.
          </Text>
        )
      }
      card={(webhook, onSecrets) => <WebhookCard key={webhook.webhookId} webhook={webhook} onSecrets={onSecrets} />}
      form={(onMade) => <WebhookForm onMade={onMade} />}
    />
  );
}

interface CardProps {
  readonly webhook: Webhook;
  readonly onSecrets: (secrets: readonly string[]) => void;
}

function WebhookCard({ webhook, onSecrets }: CardProps) {
  const scope = useScope();
  const queries = useQueryClient();
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
  return (
    <ReceiverCard
      {...{ id: webhookId, title: webhookUrl, active, toggle, error: show.error }}
      about={
        events.length === 0 ? (
          <Badge variant="light" color="violet" tt="none" mt={4}>
            asked for every decision
          </Badge>
        ) : (
          <List size="sm" mt={4}>
            {EVENTS.filter(({ value }) => events.includes(value)).map(({ value, label }) => (
              <List.Item key={value}>{label}</List.Item>
            ))}
          </List>
        )
      }
      buttons={
        <>
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
        </>
      }
      log={events.length > 0 ? { name: 'the deliveries', content: <Deliveries webhookId={webhookId} /> } : undefined}
    />
  );
}
