import { Badge, Button, Card, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { meQuery, sessionsQuery } from '../../api/queries';
import { served } from '../../browser/served';
import { browserName } from '../../format/browser-name';
import { asked, Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { MailAddress } from './mail-address';
import { Passkeys } from './passkeys';
import { SecondFactor } from './second-factor';

/** The person: name, wallet, passkeys, second factor, and where he is signed in. */
export function YouScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  const queries = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const [name, setName] = useState(me.person.name);
  const rename = useMutation({
    mutationFn: () => contentOf(api.PATCH(`${SDK}/person`, { body: { name: name.trim() } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
  const end = useMutation({
    mutationFn: (sessionId: string) =>
      contentOf(api.DELETE(`${SDK}/sessions/{sessionId}`, { params: { path: { sessionId } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const endAll = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/sessions`)),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Page title="You" sub="Your name, how you sign in, and where you are signed in.">
      <Card>
        <Form onSubmit={() => rename.mutate()}>
          <Stack gap="sm">
            <Group align="flex-end">
              <TextInput
                label="Your name"
                description="Your team sees it"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                maxLength={100}
              />
              <Button
                type="submit"
                loading={rename.isPending}
                disabled={name.trim() === '' || name.trim() === me.person.name}
              >
                Save
              </Button>
            </Group>
            {me.person.walletAddress && (
              <Text size="sm">
                You sign in with <Hex value={me.person.walletAddress} of="address" />
              </Text>
            )}
            {rename.error && <Problem error={rename.error} what="The name was not changed" />}
          </Stack>
        </Form>
      </Card>
      <Passkeys />
      <SecondFactor />
      {served.hasMail && <MailAddress />}
      <Card>
        <Group justify="space-between" mb="sm">
          <Title order={2} size="h4">
            Sessions
          </Title>
          <Confirm action="Sign out everywhere" {...asked(endAll)}>
            You are signed out in every browser, in this one too. Programs with auth tokens go on.
          </Confirm>
        </Group>
        <Load of={sessions} what="The sessions">
          {(list) => (
            <WideTable label="Sessions" minWidth={520} columns={['Browser', 'Used', 'Ends', 'Actions']}>
              {list.map((session) => (
                <Table.Tr key={session.sessionId}>
                  <Table.Td className="breaks">
                    {browserName(session.browser)}{' '}
                    {session.current && (
                      <Badge variant="light" tt="none">
                        this one
                      </Badge>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <When iso={session.lastUsedAt} relative />
                  </Table.Td>
                  <Table.Td>
                    <When iso={session.expiresAt} relative />
                  </Table.Td>
                  <Table.Td>
                    {!session.current && (
                      <Button
                        size="xs"
                        variant="default"
                        loading={end.isPending}
                        onClick={() => end.mutate(session.sessionId)}
                      >
                        End
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </WideTable>
          )}
        </Load>
        {end.error && <Problem error={end.error} what="The session was not ended" />}
      </Card>
    </Page>
  );
}
