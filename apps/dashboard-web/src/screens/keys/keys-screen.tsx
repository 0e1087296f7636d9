import { Alert, Badge, Button, Card, Code, Group, Modal, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keysQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Empty } from '../../ui/empty';
import { Copy } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { KeyForm } from './key-form';
import { Snippets } from './snippets';

type Key = Schemas['NamedKeyView'];

/** What apps ask with: the code, and keys that may do less. */
export function KeysScreen() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const keys = useQuery(keysQuery(scope));
  const [opened, { open, close }] = useDisclosure(false);
  const [made, setMade] = useState<{ name: string; apiKey: string }>();
  const addButton = mayWrite && <Button onClick={open}>Make a key</Button>;
  return (
    <Page title="Keys and snippets" sub="Give every page, app and server a key of its own." actions={addButton}>
      {made && (
        <Alert
          color="green"
          title={`The key “${made.name}” is shown once`}
          withCloseButton
          onClose={() => setMade(undefined)}
          closeButtonLabel="I have kept the key"
        >
          <Group wrap="nowrap">
            <Code className="breaks">{made.apiKey}</Code>
            <Copy value={made.apiKey} of="the key" />
          </Group>
        </Alert>
      )}
      <Card>
        <Snippets />
      </Card>
      <Card>
        <Title order={2} size="h4" mb="sm">
          Named keys
        </Title>
        <Load of={keys} what="The keys">
          {(list) =>
            list.length === 0 ? (
              <Empty title="No named key yet" action={addButton}>
                A named key works at the gateway only. It can be bound to origins, methods, accounts and a budget, and
                it can be ended without the others.
              </Empty>
            ) : (
              <WideTable label="Named keys" minWidth={720}>
                <Table.Thead>
                  <Table.Tr>
                    {['Name', 'Kind', 'Restrictions', 'Last use', ''].map((name) => (
                      <Table.Th key={name}>{name || <span className="mantine-visually-hidden">Actions</span>}</Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.map((key) => (
                    <KeyRow key={key.keyId} named={key} onMade={setMade} />
                  ))}
                </Table.Tbody>
              </WideTable>
            )
          }
        </Load>
      </Card>
      <Modal opened={opened} onClose={close} title="Make a key" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
        <KeyForm
          onMade={(key) => {
            setMade(key);
            close();
          }}
        />
      </Modal>
    </Page>
  );
}

interface RowProps {
  readonly named: Key;
  readonly onMade: (key: { name: string; apiKey: string }) => void;
}

function KeyRow({ named, onMade }: RowProps) {
  const scope = useScope();
  const { mayWrite } = useRole();
  const queries = useQueryClient();
  const { keyId, name } = named;
  const params = { path: { keyId } };
  const onSuccess = () => queries.invalidateQueries({ queryKey: keysQuery(scope).queryKey });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/keys/{keyId}`, { params, headers: headersOf(scope) })),
    onSuccess,
  });
  const rotate = useMutation({
    mutationFn: () =>
      contentOf(api.POST(`${SDK}/keys/{keyId}/rotate`, { params, headers: headersOf(scope), body: {} })),
    onSuccess: (key) => {
      onMade({ name, apiKey: key.apiKey });
      return onSuccess();
    },
  });
  return (
    <Table.Tr>
      <Table.Td className="breaks">{name}</Table.Td>
      <Table.Td>
        <Badge variant="light" color={named.kind === 'SECRET' ? 'violet' : 'blue'} tt="none">
          {named.kind === 'SECRET' ? 'secret' : 'publishable'}
        </Badge>
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="breaks">
          {restrictionsOf(named).join('; ') || 'none'}
        </Text>
      </Table.Td>
      <Table.Td>{named.lastUsedAt ? <When iso={named.lastUsedAt} relative /> : 'never'}</Table.Td>
      <Table.Td>
        {mayWrite && (
          <Group gap="xs" wrap="nowrap" justify="flex-end">
            <Confirm
              action="Replace"
              label={`Replace the key ${name}`}
              onConfirm={() => rotate.mutateAsync()}
              isPending={rotate.isPending}
              error={rotate.error}
            >
              <b>{name}</b> gets a new text, which is shown once. The text of today works for another day; after that,
              apps that still send it are refused.
            </Confirm>
            <Confirm
              action="End"
              label={`End the key ${name}`}
              onConfirm={() => remove.mutateAsync()}
              isPending={remove.isPending}
              error={remove.error}
            >
              Every app that uses <b>{name}</b> is refused from this moment on.
            </Confirm>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function restrictionsOf(key: Key): string[] {
  const limits = (key.limits ?? []).map(({ scope, measure, amount, cycle }) => {
    const each = scope === 'USER' ? ' for each user' : '';
    return `${amount} ${{ WEI: 'wei', USD: 'USD', COUNT: 'operations' }[measure]} a ${cycle.toLowerCase()}${each}`;
  });
  return [
    key.allowedOrigins && `origins ${key.allowedOrigins.join(', ')}`,
    key.allowedNetworks && `networks ${key.allowedNetworks.join(', ')}`,
    key.allowedSenders && `${key.allowedSenders.length} accounts`,
    key.allowedMethods && `methods ${key.allowedMethods.join(', ')}`,
    key.policyIds && `${key.policyIds.length} policies`,
    key.sessionRequired && 'needs a session token',
    key.expiresAt && `until ${key.expiresAt.slice(0, 10)}`,
    ...limits,
  ].filter((part): part is string => typeof part === 'string');
}
