import { Button, Card, Group, NativeSelect, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { invitationsQuery, type Role } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { useRoleChoices } from './roles';

interface Props {
  readonly onSecret: (secret: { title: string; text: string }) => void;
}

/** Codes with which a person joins the account. */
export function Invitations({ onSecret }: Props) {
  const { accountId } = useScope();
  const { mayChangeTeam } = useRole();
  const roles = useRoleChoices();
  const queries = useQueryClient();
  const invitations = useQuery(invitationsQuery(accountId));
  const [role, setRole] = useState<Role>('viewer');
  const [name, setName] = useState('');
  const headers = headersOf({ accountId });
  const refresh = () => queries.invalidateQueries({ queryKey: invitationsQuery(accountId).queryKey });
  const invite = useMutation({
    mutationFn: () =>
      contentOf(api.POST(`${SDK}/invitations`, { headers, body: { role, ...(name.trim() && { name: name.trim() }) } })),
    onSuccess: ({ code }) => {
      onSecret({ title: 'Give this link to the person you invite. It is shown once', text: linkOf(code) });
      setName('');
      return refresh();
    },
  });
  const withdraw = useMutation({
    mutationFn: (invitationId: string) =>
      contentOf(api.DELETE(`${SDK}/invitations/{invitationId}`, { params: { path: { invitationId } }, headers })),
    onSuccess: refresh,
  });
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Invitations
        </Title>
        {mayChangeTeam && (
          <Form onSubmit={() => invite.mutate()}>
            <Group align="flex-end">
              <TextInput
                label="Whom you invite"
                placeholder="Grace"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                maxLength={100}
              />
              <NativeSelect
                label="As"
                value={role}
                data={roles.map(({ value, label }) => ({ value, label }))}
                onChange={(event) => setRole(event.currentTarget.value)}
              />
              <Button type="submit" loading={invite.isPending}>
                Invite
              </Button>
            </Group>
            <Text size="sm" c="dimmed" mt={4}>
              {roles.find(({ value }) => value === role)?.says}
            </Text>
          </Form>
        )}
        {invite.error && <Problem error={invite.error} what="The invitation was not made" />}
        <Load of={invitations} what="The invitations" height={40}>
          {(list) =>
            list.length === 0 ? (
              <Text size="sm" c="dimmed">
                No invitation is open.
              </Text>
            ) : (
              <WideTable label="Invitations" minWidth={520} columns={['Who', 'Role', 'Ends', 'Actions']}>
                {list.map((invitation) => (
                  <Table.Tr key={invitation.invitationId}>
                    <Table.Td className="breaks">{invitation.name ?? 'no name'}</Table.Td>
                    <Table.Td className="breaks">{invitation.roleName}</Table.Td>
                    <Table.Td>
                      <When iso={invitation.expiresAt} relative />
                    </Table.Td>
                    <Table.Td>
                      {mayChangeTeam && (
                        <Confirm
                          action="Withdraw"
                          label={`Withdraw the invitation of ${invitation.name ?? 'a person'}`}
                          onConfirm={() => withdraw.mutateAsync(invitation.invitationId)}
                          isPending={withdraw.isPending}
                          error={withdraw.error}
                        >
                          Its link no longer lets anybody in.
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

/** The code stands behind #, which browsers send to no server. */
function linkOf(code: string): string {
  return `${window.location.origin}/sign-in#invitation=${code}`;
}
