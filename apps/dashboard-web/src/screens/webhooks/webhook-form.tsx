import { Button, Checkbox, NumberInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { webhooksQuery, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { useUnsaved } from '../../ui/edit-dialog';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';

type Event = Schemas['WebhookView']['events'][number];

/** Every event that a webhook can be told, in words. */
export const EVENTS: readonly { value: Event; label: string }[] = [
  { value: 'granted', label: 'An operation was signed' },
  { value: 'refused', label: 'An operation was refused' },
  { value: 'settled', label: 'An operation landed in a final block' },
  { value: 'voided', label: 'A signed operation never landed' },
  { value: 'sent', label: 'A bundler took an operation' },
  { value: 'waiting', label: 'An operation that a bundler took is in no block yet' },
  { value: 'bundlerRefused', label: 'A bundler refused an operation' },
  { value: 'dropped', label: 'An operation that a bundler took will not land' },
  { value: 'walletLow', label: 'The wallet runs low' },
  { value: 'walletBraked', label: 'The spending brake stopped the paymaster' },
  { value: 'networkNearRoom', label: 'A network has used half of what it may cost you in an hour' },
  { value: 'paymasterSuspended', label: 'The operator suspended the paymaster' },
  { value: 'paymasterResumed', label: 'The operator resumed the paymaster' },
];

/** What a new webhook is told. */
const USUAL_EVENTS: readonly Event[] = [
  ...(['settled', 'walletLow', 'walletBraked', 'networkNearRoom'] as const),
  ...(['paymasterSuspended', 'paymasterResumed'] as const),
];
const USUAL_HOURS = 48;

/** Makes an event webhook. */
export function WebhookForm({ onMade }: { readonly onMade: (secrets: readonly string[]) => void }) {
  const scope = useScope();
  const queries = useQueryClient();
  const [webhookUrl, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>(USUAL_EVENTS);
  const [hours, setHours] = useState<number | string>(USUAL_HOURS);
  useUnsaved(webhookUrl !== '' || events !== USUAL_EVENTS || hours !== USUAL_HOURS);
  const create = useMutation({
    mutationFn: () =>
      contentOf(
        api.POST(`${SDK}/webhook`, {
          headers: headersOf(scope),
          body: {
            webhookUrl: webhookUrl.trim(),
            requestType: 'POST',
            events: [...events] as Event[],
            ...(events.includes('walletLow') && { lowBalanceHours: Number(hours) }),
          },
        }),
      ),
    onSuccess: async ({ secrets = [] }) => {
      await queries.invalidateQueries({ queryKey: webhooksQuery(scope).queryKey });
      onMade(secrets);
    },
  });
  return (
    <Form onSubmit={() => create.mutate()}>
      <Stack>
        <TextInput
          type="url"
          label="URL of your server"
          data-autofocus
          description="https, and reachable from the internet. It answers with a status from 200 to 299 within 10 seconds."
          placeholder="https://hooks.example.org/paymaster"
          value={webhookUrl}
          onChange={(event) => setUrl(event.currentTarget.value)}
          required
        />
        <Checkbox.Group label="Tell it when" value={[...events]} onChange={setEvents}>
          <Stack gap={6} mt={4}>
            {EVENTS.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        {events.includes('walletLow') && (
          <NumberInput
            label="Low is when it lasts for less than, in hours"
            value={hours}
            onChange={setHours}
            min={1}
            allowDecimal={false}
          />
        )}
        <FormFooter says={create.error && <Problem error={create.error} what="The webhook was not made" />}>
          <Button type="submit" loading={create.isPending} disabled={webhookUrl.trim() === '' || events.length === 0}>
            Make the webhook
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}
