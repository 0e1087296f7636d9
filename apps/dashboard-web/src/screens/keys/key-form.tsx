import { Button, Group, NativeSelect, NumberInput, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keysQuery, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Problem } from '../../ui/problem';

interface Props {
  readonly onMade: (key: { name: string; apiKey: string }) => void;
}

/** Makes a named key: for whom it is, and what it may do. */
export function KeyForm({ onMade }: Props) {
  const scope = useScope();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Schemas['CreateKeyDto']['kind']>('PUBLISHABLE');
  const [origins, setOrigins] = useState('');
  const [perDay, setPerDay] = useState<string | number>('');
  const [cycle, setCycle] = useState<Schemas['KeyLimitDto']['cycle']>('DAY');
  const allowedOrigins = origins.split(/[\s,]+/).filter(Boolean);
  const create = useMutation({
    mutationFn: () =>
      contentOf(
        api.POST(`${SDK}/keys`, {
          headers: headersOf(scope),
          body: {
            name: name.trim(),
            kind,
            ...(kind === 'PUBLISHABLE' && allowedOrigins.length > 0 && { allowedOrigins }),
            ...(perDay !== '' && {
              limits: [{ scope: 'KEY', measure: 'COUNT', amount: String(perDay), cycle } as const],
            }),
          },
        }),
      ),
    onSuccess: async (key) => {
      await queries.invalidateQueries({ queryKey: keysQuery(scope).queryKey });
      onMade({ name: key.name, apiKey: key.apiKey });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          placeholder="web app"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={100}
        />
        <Radio.Group label="Who will know it" value={kind} onChange={(value) => setKind(value as typeof kind)}>
          <Stack gap={6} mt={4}>
            <Radio value="PUBLISHABLE" label="Everybody: it stands in a page or an app (publishable)" />
            <Radio value="SECRET" label="Your servers only (secret)" />
          </Stack>
        </Radio.Group>
        {kind === 'PUBLISHABLE' && (
          <Textarea
            label="Origins whose pages may use it"
            description="One in each line, such as https://app.example.org. Without any, every page may."
            value={origins}
            onChange={(event) => setOrigins(event.currentTarget.value)}
            autosize
            minRows={2}
          />
        )}
        <Group align="flex-end" grow>
          <NumberInput
            label="At most so many operations"
            description="Empty: no limit of the key"
            value={perDay}
            onChange={setPerDay}
            min={1}
            allowDecimal={false}
            allowNegative={false}
          />
          <NativeSelect
            label="In each"
            value={cycle}
            onChange={(event) => setCycle(event.currentTarget.value as typeof cycle)}
            data={[
              { value: 'HOUR', label: 'hour' },
              { value: 'DAY', label: 'day' },
              { value: 'WEEK', label: 'week' },
              { value: 'MONTH', label: 'month' },
            ]}
          />
        </Group>
        <Text size="sm" c="dimmed">
          The key is shown once. It can only narrow what the paymaster sponsors.
        </Text>
        {create.error && <Problem error={create.error} what="The key was not made" />}
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            Make the key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
