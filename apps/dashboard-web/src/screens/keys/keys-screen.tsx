import { Alert, Badge, Button, Card, Code, Group, List, NativeSelect, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keysQuery } from '../../api/queries';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Copy } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import type { NamedKey } from './key-draft';
import { KeyForm } from './key-form';
import { keySentences } from './key-sentences';
import { MainKeyCard } from './main-key-card';
import { SessionKeys } from './session-keys';
import { Snippets } from './snippets';
import { useMainKey } from './use-main-key';
import { useRulesPolicies } from './use-rules-policies';

/** How long the text that is replaced goes on working. */
const OVERLAPS = [
  { value: '86400', label: 'another day' },
  { value: '604800', label: 'another week' },
  { value: '2592000', label: 'another 30 days' },
  { value: '0', label: 'not at all, nor does any older text: the key has leaked' },
] as const;

/** What apps ask with: the code, and keys that may do less. */
export function KeysScreen() {
  const scope = useScope();
  const { mayChangeKeys, maySeeSecrets, roleName } = useRole();
  const keys = useQuery({ ...keysQuery(scope), enabled: maySeeSecrets });
  const mainKey = useMainKey();
  const [opened, { open, close }] = useDisclosure(false);
  const [made, setMade] = useState<{ name: string; apiKey: string }>();
  const addButton = mayChangeKeys && <Button onClick={open}>Make a key</Button>;
  if (!maySeeSecrets) {
    return (
      <Page title="Keys and code">
        <Empty title="Your role does not let you see keys">
          Your role here is {roleName}. Ask an owner of the account.
        </Empty>
      </Page>
    );
  }
  return (
    <Page title="Keys and code" sub="Give every page, app and server a key of its own." actions={addButton}>
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
        <Snippets mainKey={mainKey} />
      </Card>
      <MainKeyCard mainKey={mainKey} />
      <Card>
        <Title order={2} size="h4" mb="sm">
          Named keys
        </Title>
        <Load of={keys} what="The keys">
          {(list) =>
            list.length === 0 ? (
              <Empty title="No named key yet" action={addButton}>
                A named key works at the gateway only. It can be bound to origins, methods, accounts and a limit, and it
                can be ended without the others.
              </Empty>
            ) : (
              <WideTable
                label="Named keys"
                minWidth={820}
                columns={['Name', 'Kind', 'What it can do', 'Last use', 'Actions']}
              >
                {list.map((key) => (
                  <KeyRow key={key.keyId} named={key} onMade={setMade} />
                ))}
              </WideTable>
            )
          }
        </Load>
      </Card>
      <SessionKeys />
      <EditDialog opened={opened} onClose={close} title="Make a key" size="lg">
        <KeyForm onMade={setMade} onDone={close} />
      </EditDialog>
    </Page>
  );
}

interface RowProps {
  readonly named: NamedKey;
  readonly onMade: (key: { name: string; apiKey: string }) => void;
}

function KeyRow({ named, onMade }: RowProps) {
  const { mayChangeKeys } = useRole();
  const { symbol } = useChain();
  const { policyName } = useRulesPolicies();
  const { name, kind, lastUsedAt, expiresAt, formerKeysValidUntil } = named;
  const isOver = expiresAt !== null && new Date(expiresAt).getTime() <= Date.now();
  return (
    <Table.Tr>
      <Table.Td className="breaks">{name}</Table.Td>
      <Table.Td>
        <Group gap={4}>
          <Badge variant="light" color={kind === 'SECRET' ? 'violet' : 'blue'} tt="none">
            {kind === 'SECRET' ? 'secret' : 'publishable'}
          </Badge>
          {isOver && (
            <Badge variant="light" color="red" tt="none">
              expired
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        <List size="sm" spacing={2}>
          {keySentences(named, { symbol, policyName }).map((sentence) => (
            <List.Item key={sentence} className="breaks">
              {sentence}
            </List.Item>
          ))}
        </List>
        {formerKeysValidUntil.map((end) => (
          <Text key={end} size="xs" c="dimmed">
            An old text works until <When iso={end} />.
          </Text>
        ))}
      </Table.Td>
      <Table.Td>{lastUsedAt ? <When iso={lastUsedAt} relative /> : 'never'}</Table.Td>
      <Table.Td>{mayChangeKeys && <KeyActions named={named} onMade={onMade} />}</Table.Td>
    </Table.Tr>
  );
}

function KeyActions({ named, onMade }: RowProps) {
  const scope = useScope();
  const queries = useQueryClient();
  const [isEdited, { open, close }] = useDisclosure(false);
  const [overlap, setOverlap] = useState<string>(OVERLAPS[0].value);
  const { keyId, name } = named;
  const params = { path: { keyId } };
  const onSuccess = () => queries.invalidateQueries({ queryKey: keysQuery(scope).queryKey });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/keys/{keyId}`, { params, headers: headersOf(scope) })),
    onSuccess,
  });
  const rotate = useMutation({
    mutationFn: () =>
      contentOf(
        api.POST(`${SDK}/keys/{keyId}/rotate`, {
          params,
          headers: headersOf(scope),
          body: { previousKeyValidSeconds: Number(overlap) },
        }),
      ),
    onSuccess: (key) => {
      onMade({ name, apiKey: key.apiKey });
      return onSuccess();
    },
  });
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" variant="default" onClick={open} aria-label={`Edit the key ${name}`}>
        Edit
      </Button>
      <Confirm action="Replace" label={`Replace the key ${name}`} {...asked(rotate)}>
        <b>{name}</b> gets a new text, which is shown once. Apps that send the old text work for as long as you choose,
        and are refused from then on.
        <NativeSelect
          label="The old text works"
          value={overlap}
          data={[...OVERLAPS]}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          mt="sm"
        />
      </Confirm>
      <Confirm action="End" label={`End the key ${name}`} {...asked(remove)}>
        Every app that uses <b>{name}</b> is refused from this moment on.
      </Confirm>
      <EditDialog opened={isEdited} onClose={close} title={`Key ${name}`} size="lg">
        <KeyForm named={named} onDone={close} />
      </EditDialog>
    </Group>
  );
}
