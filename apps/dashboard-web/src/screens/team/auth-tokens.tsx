import { Badge, Button, Card, Group, NativeSelect, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { authTokensQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';

interface Props {
  readonly onSecret: (secret: { title: string; text: string }) => void;
}

/** Tokens with which programs use REST for the account. */
export function AuthTokens({ onSecret }: Props) {
  const { accountId } = useScope();
  const { mayChangeTeam } = useRole();
  const queries = useQueryClient();
  const tokens = useQuery(authTokensQuery(accountId));
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Schemas['CreateAuthTokenDto']['scope']>('read');
  const headers = headersOf({ accountId });
  const refresh = () => queries.invalidateQueries({ queryKey: authTokensQuery(accountId).queryKey });
  const create = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/auth-tokens`, { headers, body: { name: name.trim(), scope } })),
    onSuccess: ({ authToken }) => {
      onSecret({ title: `The auth token “${name.trim()}” is shown once`, text: authToken });
      setName('');
      return refresh();
    },
  });
  const end = useMutation({
    mutationFn: (tokenId: string) =>
      contentOf(api.DELETE(`${SDK}/auth-tokens/{tokenId}`, { params: { path: { tokenId } }, headers })),
    onSuccess: refresh,
  });
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Auth tokens
        </Title>
        {mayChangeTeam && (
          <Form onSubmit={() => create.mutate()}>
            <Group align="flex-end">
              <TextInput
                label="For which program"
                placeholder="nightly report"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                maxLength={100}
                required
              />
              <NativeSelect
                label="It may"
                value={scope}
                data={[
                  { value: 'read', label: 'read only' },
                  { value: 'write', label: 'read and change' },
                ]}
                onChange={(event) => setScope(event.currentTarget.value as typeof scope)}
              />
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                Make an auth token
              </Button>
            </Group>
          </Form>
        )}
        {create.error && <Problem error={create.error} what="The auth token was not made" />}
        <Load of={tokens} what="The auth tokens" height={40}>
          {(list) =>
            list.length === 0 ? (
              <Text size="sm" c="dimmed">
                No auth token is in use.
              </Text>
            ) : (
              <WideTable label="Auth tokens" minWidth={560} columns={['Program', 'It may', 'Use', 'Actions']}>
                {list.map((token) => (
                  <Table.Tr key={token.tokenId}>
                    <Table.Td className="breaks">{token.name}</Table.Td>
                    <Table.Td>
                      <Badge variant="light" color={token.scope === 'write' ? 'violet' : 'gray'} tt="none">
                        {token.scope === 'write' ? 'reads and changes' : 'reads'}
                      </Badge>
                    </Table.Td>
                    <Table.Td>
                      <Text size="sm">
                        {token.lastUsedAt ? (
                          <>
                            used <When iso={token.lastUsedAt} relative />
                          </>
                        ) : (
                          'never used'
                        )}
                        {token.expiresAt && (
                          <>
                            , ends <When iso={token.expiresAt} relative />
                          </>
                        )}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      {mayChangeTeam && (
                        <Confirm
                          action="End"
                          label={`End the auth token ${token.name}`}
                          onConfirm={() => end.mutateAsync(token.tokenId)}
                          isPending={end.isPending}
                          error={end.error}
                        >
                          Programs that use <b>{token.name}</b> are refused from this moment on.
                        </Confirm>
                      )}
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
