import { Alert, Card, Code, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { meQuery, membersQuery, type Role, type Schemas } from '../../api/queries';
import { useMembership, useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { Empty } from '../../ui/empty';
import { Copy, Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { AccountSecondFactor } from './account-second-factor';
import { AuthTokens } from './auth-tokens';
import { Invitations } from './invitations';
import { OwnRoles } from './own-roles';
import { useRoleChoices } from './roles';

/** Who may do what in the account, by hand and by program. */
export function TeamScreen() {
  const { accountId } = useScope();
  const { roleName, mayReadPeople } = useRole();
  const [secret, setSecret] = useState<{ title: string; text: string }>();
  const members = useQuery({ ...membersQuery(accountId), enabled: mayReadPeople });
  if (!mayReadPeople) {
    return (
      <Page title="Team">
        <Empty title="Your role does not show who is in the account">
          Your role here is {roleName}. Ask an owner of the account.
        </Empty>
      </Page>
    );
  }
  return (
    <Page title="Team" sub="Who may do what, by hand and by program.">
      {secret && (
        <Alert
          color="green"
          title={secret.title}
          withCloseButton
          closeButtonLabel="I have kept it"
          onClose={() => setSecret(undefined)}
        >
          <Group wrap="nowrap">
            <Code className="breaks">{secret.text}</Code>
            <Copy value={secret.text} of="it" />
          </Group>
        </Alert>
      )}
      <Card>
        <Title order={2} size="h4" mb="sm">
          Members
        </Title>
        <Load of={members} what="The members">
          {(list) => (
            <WideTable label="Members" minWidth={600} columns={['Who', 'Role', 'Since', 'Actions']}>
              {list.map((member) => (
                <MemberRow key={member.personId} member={member} />
              ))}
            </WideTable>
          )}
        </Load>
      </Card>
      <AccountSecondFactor />
      <OwnRoles />
      <Invitations onSecret={setSecret} />
      <AuthTokens onSecret={setSecret} />
    </Page>
  );
}

function MemberRow({ member }: { readonly member: Schemas['MemberView'] }) {
  const { accountId } = useScope();
  const { mayChangeTeam } = useRole();
  const { secondFactorRequired } = useMembership();
  const roles = useRoleChoices();
  const { data: me } = useSuspenseQuery(meQuery);
  const queries = useQueryClient();
  const { personId, name, walletAddress } = member;
  const options = { params: { path: { personId } }, headers: headersOf({ accountId }) };
  const onSuccess = () => queries.invalidateQueries({ queryKey: membersQuery(accountId).queryKey });
  const change = useMutation({
    mutationFn: (next: Role) => contentOf(api.PATCH(`${SDK}/members/{personId}`, { ...options, body: { role: next } })),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/members/{personId}`, options)),
    onSuccess,
  });
  const shown = name || walletAddress || 'a person without a name';
  const isMe = me.person.personId === personId;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" className="breaks">
          {name || 'no name'} {isMe && '(you)'}
        </Text>
        {secondFactorRequired && !member.hasSecondFactor && (
          <Text size="xs" c="dimmed">
            no second factor
          </Text>
        )}
        {walletAddress ? (
          <Hex value={walletAddress} of="address" />
        ) : (
          <Text size="xs" c="dimmed">
            without a wallet, {personId.slice(0, 8)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Stack gap={4}>
          <NativeSelect
            aria-label={`Role of ${shown}`}
            value={member.role}
            data={roles.map(({ value, label }) => ({ value, label }))}
            onChange={(event) => change.mutate(event.currentTarget.value)}
            disabled={!mayChangeTeam || change.isPending}
          />
          {change.error && <Problem error={change.error} what="The role was not changed" />}
        </Stack>
      </Table.Td>
      <Table.Td>
        <When iso={member.joinedAt} relative />
      </Table.Td>
      <Table.Td>
        {mayChangeTeam && (
          <Confirm
            action={isMe ? 'Leave' : 'Remove'}
            label={isMe ? 'Leave the account' : `Remove ${shown}`}
            {...asked(remove)}
          >
            {shown} no longer sees or changes anything of this account, from this moment on. Auth tokens stay: end those
            that {isMe ? 'you' : 'the person'} knows.
          </Confirm>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
