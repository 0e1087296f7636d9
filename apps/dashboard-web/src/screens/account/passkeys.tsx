import { Alert, Button, Card, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { passkeysQuery } from '../../api/queries';
import { hasPasskeys, makePasskey } from '../../passkey/browser-passkeys';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { Refused } from './refused';

/** The devices with which the person signs in by PIN, finger or face. */
export function Passkeys() {
  const queries = useQueryClient();
  const passkeys = useQuery(passkeysQuery);
  const [name, setName] = useState('');
  const onSuccess = () => queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
  const add = useMutation({
    mutationFn: async () => {
      const options = await contentOf(api.GET(`${SDK}/passkeys/options`));
      const credential = await makePasskey(options);
      return contentOf(api.POST(`${SDK}/passkeys`, { body: { name: name.trim(), ...credential } }));
    },
    onSuccess: () => {
      setName('');
      return onSuccess();
    },
  });
  const remove = useMutation({
    mutationFn: (passkeyId: string) =>
      contentOf(api.DELETE(`${SDK}/passkeys/{passkeyId}`, { params: { path: { passkeyId } } })),
    onSuccess,
  });
  return (
    <Card>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            Passkeys
          </Title>
          <Text size="sm" c="dimmed">
            With a passkey you sign in by the PIN, finger or face that unlocks your device. It works on this page only,
            so no other page can ask you for it.
          </Text>
        </div>
        {hasPasskeys() ? (
          <Form onSubmit={() => add.mutate()}>
            <Group align="flex-end">
              <TextInput
                label="Name of the device"
                placeholder="My phone"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                maxLength={100}
              />
              <Button type="submit" loading={add.isPending} disabled={name.trim() === ''}>
                Add a passkey
              </Button>
            </Group>
          </Form>
        ) : (
          <Alert color="gray" title="This browser can add no passkey here">
            It has none, or the address of this page is a number. Passkeys are kept for names, such as localhost.
          </Alert>
        )}
        <Refused error={add.error} what="The passkey was not added" />
        <Load of={passkeys} what="The passkeys" height={40}>
          {(list) =>
            list.length === 0 ? (
              <Text size="sm" c="dimmed">
                You have no passkey yet.
              </Text>
            ) : (
              <WideTable label="Passkeys" minWidth={520} columns={['Device', 'Added', 'Used', 'Actions']}>
                {list.map((passkey) => (
                  <Table.Tr key={passkey.passkeyId}>
                    <Table.Td>
                      <Name {...passkey} onSuccess={onSuccess} />
                    </Table.Td>
                    <Table.Td>
                      <When iso={passkey.createdAt} relative />
                    </Table.Td>
                    <Table.Td>{passkey.lastUsedAt ? <When iso={passkey.lastUsedAt} relative /> : 'never'}</Table.Td>
                    <Table.Td>
                      <Confirm
                        action="Remove"
                        label={`Remove the passkey ${passkey.name}`}
                        onConfirm={() => remove.mutateAsync(passkey.passkeyId)}
                        isPending={remove.isPending}
                        error={null}
                      >
                        Nobody signs in with it any more. Sessions that it opened go on: end them below, if the device
                        is lost.
                        <Refused error={remove.error} what="The passkey was not removed" />
                      </Confirm>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </WideTable>
            )
          }
        </Load>
      </Stack>
    </Card>
  );
}

interface NameProps {
  readonly passkeyId: string;
  readonly name: string;
  readonly onSuccess: () => Promise<void>;
}

/** The name of a device, which a press changes into a field. */
function Name({ passkeyId, name, onSuccess }: NameProps) {
  const [draft, setDraft] = useState<string>();
  const rename = useMutation({
    mutationFn: (next: string) =>
      contentOf(
        api.PATCH(`${SDK}/passkeys/{passkeyId}`, { params: { path: { passkeyId } }, body: { name: next.trim() } }),
      ),
    onSuccess: async () => {
      await onSuccess();
      setDraft(undefined);
    },
  });
  if (draft === undefined) {
    return (
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" className="breaks">
          {name}
        </Text>
        <Button size="compact-xs" variant="subtle" aria-label={`Rename ${name}`} onClick={() => setDraft(name)}>
          Rename
        </Button>
      </Group>
    );
  }
  return (
    <Form onSubmit={() => rename.mutate(draft)}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          aria-label={`New name of ${name}`}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          maxLength={100}
          autoFocus
        />
        <Button size="xs" type="submit" loading={rename.isPending} disabled={draft.trim() === ''}>
          Save
        </Button>
      </Group>
      {rename.error && <Problem error={rename.error} what="The name was not changed" />}
    </Form>
  );
}
