import { Button, Card, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { formerKeysQuery } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { Copy } from '../../ui/hex';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import type { MainKey } from './use-main-key';

/** How long the key that is replaced goes on working. */
const OVERLAPS = [
  { value: '86400', label: 'another day' },
  { value: '604800', label: 'another week' },
  { value: '2592000', label: 'another 30 days' },
  { value: '0', label: 'not at all: it has leaked' },
] as const;

/** The key that does everything: hidden until somebody asks for it, replaced, and the end of those before it. */
export function MainKeyCard({ mainKey }: { readonly mainKey: MainKey }) {
  const { mayChangeKeys } = useRole();
  if (!mayChangeKeys) return null;
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Main key
        </Title>
        <Text size="sm" c="dimmed">
          It does all that this paymaster allows, so keep it on your servers. The audit log says who asked to see it.
        </Text>
        {mainKey.apiKey && (
          <Group wrap="nowrap">
            <Code className="breaks">{mainKey.apiKey}</Code>
            <Copy value={mainKey.apiKey} of="the main key" />
          </Group>
        )}
        <Group gap="xs">
          <ShowMainKey mainKey={mainKey} labels={['Show the main key', 'Hide the main key']} />
          <Replace onReplaced={mainKey.replaced} />
        </Group>
        <FormerKeys />
      </Stack>
    </Card>
  );
}

interface ShowProps {
  readonly mainKey: MainKey;
  readonly labels: readonly [show: string, hide: string];
}

/** Shows the main key where it stands, or hides it again. */
export function ShowMainKey({ mainKey: { apiKey, isPending, error, show, hide }, labels }: ShowProps) {
  return (
    <>
      <Button size="xs" variant="default" loading={isPending} onClick={apiKey ? hide : show}>
        {labels[apiKey ? 1 : 0]}
      </Button>
      {error != null && <Problem error={error} what="The main key could not be shown" />}
    </>
  );
}

function Replace({ onReplaced }: { readonly onReplaced: MainKey['replaced'] }) {
  const scope = useScope();
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState<string>(OVERLAPS[0].value);
  const rotate = useMutation({
    mutationFn: async () => {
      const body = { previousKeyValidSeconds: Number(overlap) };
      const rotated = await contentOf(api.POST(`${SDK}/paymaster/rotate-key`, { headers: headersOf(scope), body }));
      onReplaced(rotated.apiKey);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: formerKeysQuery(scope).queryKey }),
  });
  return (
    <Confirm action="Replace the main key" {...asked(rotate)}>
      You get a new main key, and see it here. Apps and programs that have the old one go on working with it for as long
      as you choose, and are refused from then on: give them the new one before.
      <NativeSelect
        label="The old key works"
        value={overlap}
        data={[...OVERLAPS]}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        mt="sm"
      />
    </Confirm>
  );
}

/** Keys that were replaced and still work, and their end. */
function FormerKeys() {
  const scope = useScope();
  const queries = useQueryClient();
  const { data: former = [], error } = useQuery(formerKeysQuery(scope));
  const end = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/paymaster/former-keys`, { headers: headersOf(scope) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: formerKeysQuery(scope).queryKey }),
  });
  if (error) return <Problem error={error} what="The old main keys could not be read" />;
  if (former.length === 0) return null;
  return (
    <Stack gap="xs">
      {former.map(({ validUntil }, index) => (
        <Text key={index} size="sm">
          An old main key works until <When iso={validUntil} />.
        </Text>
      ))}
      <Group>
        <Confirm action={former.length === 1 ? 'End the old key now' : 'End the old keys now'} {...asked(end)}>
          Every app and program that still has an old main key is refused from this moment on. The main key of today
          goes on working.
        </Confirm>
      </Group>
    </Stack>
  );
}
