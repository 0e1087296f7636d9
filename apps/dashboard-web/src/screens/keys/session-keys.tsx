import {
  Box,
  Button,
  Card,
  Code,
  Group,
  NativeSelect,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { sessionKeysQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { EditDialog, useUnsaved } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Copy, Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { readPublicKey } from './read-public-key';
import { sessionSnippetOf } from './session-snippet-of';

type SessionKey = Schemas['SessionKeyView'];

/** Public keys of servers that say by signed tokens which user asks. */
export function SessionKeys() {
  const { mayChangeKeys } = useRole();
  const keys = useQuery(sessionKeysQuery(useScope()));
  const [opened, { open, close }] = useDisclosure(false);
  const addButton = mayChangeKeys && (
    <Button size="xs" variant="default" onClick={open}>
      Register a public key
    </Button>
  );
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            Session keys
          </Title>
          {keys.data && keys.data.length > 0 && addButton}
        </Group>
        <Text size="sm" c="dimmed">
          Your server signs a short-lived token for each user who is logged in to your app. Limits of each account then
          count the user, however many accounts he has.
        </Text>
        <Load of={keys} what="The session keys">
          {(list) =>
            list.length === 0 ? (
              <Empty title="No session key yet" action={addButton}>
                Make a key pair on your server (<Code>openssl genpkey -algorithm ed25519</Code>), and register its
                public key here. The private key never leaves your server.
              </Empty>
            ) : (
              <>
                <WideTable
                  label="Session keys"
                  minWidth={640}
                  columns={['Name', 'Algorithm', 'Id (kid)', 'Registered', 'Actions']}
                >
                  {list.map((key) => (
                    <SessionKeyRow key={key.keyId} sessionKey={key} />
                  ))}
                </WideTable>
                <ServerCode keys={list} />
              </>
            )
          }
        </Load>
      </Stack>
      <EditDialog opened={opened} onClose={close} title="Register a public key" size="lg">
        <SessionKeyForm onDone={close} />
      </EditDialog>
    </Card>
  );
}

function SessionKeyRow({ sessionKey: { keyId, name, algorithm, createdAt } }: { readonly sessionKey: SessionKey }) {
  const scope = useScope();
  const { mayChangeKeys } = useRole();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      contentOf(api.DELETE(`${SDK}/session-keys/{keyId}`, { params: { path: { keyId } }, headers: headersOf(scope) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionKeysQuery(scope).queryKey }),
  });
  return (
    <Table.Tr>
      <Table.Td className="breaks">{name}</Table.Td>
      <Table.Td>{algorithm}</Table.Td>
      <Table.Td>
        <Hex value={keyId} of="key id" />
      </Table.Td>
      <Table.Td>
        <When iso={createdAt} relative />
      </Table.Td>
      <Table.Td>
        {mayChangeKeys && (
          <Confirm action="End" label={`End the session key ${name}`} {...asked(remove)}>
            Every token that <b>{name}</b> signed is refused within a second. Requests with keys that need a session
            token fail until your server signs with another key.
          </Confirm>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** The code of a server that signs with one of the keys. */
function ServerCode({ keys }: { readonly keys: readonly SessionKey[] }) {
  const [chosen, setChosen] = useState<string>();
  const key = keys.find(({ keyId }) => keyId === chosen) ?? keys[0];
  if (!key) return null;
  const code = sessionSnippetOf(key);
  return (
    <Stack gap="xs">
      {keys.length > 1 && (
        <NativeSelect
          label="Code that signs with"
          value={key.keyId}
          data={keys.map(({ keyId, name }) => ({ value: keyId, label: name }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
          maw={320}
        />
      )}
      <Box pos="relative">
        <Code block tabIndex={0} aria-label="Code of your server" style={{ paddingRight: 44 }}>
          {code}
        </Code>
        <div className="corner">
          <Copy value={code} of="the code of your server" />
        </div>
      </Box>
      <Text size="sm" c="dimmed">
        Your page sends the token with each request to the gateway, in the header x-session-token.
      </Text>
    </Stack>
  );
}

function SessionKeyForm({ onDone }: { readonly onDone: () => void }) {
  const scope = useScope();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  useUnsaved(name + text !== '');
  const read = readPublicKey(text);
  const register = useMutation({
    mutationFn: (publicKey: string | Record<string, unknown>) =>
      contentOf(api.POST(`${SDK}/session-keys`, { headers: headersOf(scope), body: { name: name.trim(), publicKey } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionKeysQuery(scope).queryKey });
      onDone();
    },
  });
  return (
    <Form
      onSubmit={() => {
        if ('publicKey' in read) register.mutate(read.publicKey);
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          data-autofocus
          placeholder="shop server"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={100}
        />
        <Textarea
          label="Public key"
          description="Ed25519 or P-256, as PEM (openssl pkey -in key.pem -pubout) or as JWK"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={text.trim() !== '' && 'problem' in read && read.problem}
          autosize
          minRows={4}
          maxRows={10}
          required
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
        <FormFooter says={register.error && <Problem error={register.error} what="The key was not registered" />}>
          <Button type="submit" loading={register.isPending} disabled={name.trim() === '' || 'problem' in read}>
            Register the key
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}
