import { Button, Card, Checkbox, Group, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { membersQuery, meQuery, rolesQuery, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { WideTable } from '../../ui/wide-table';
import { RIGHTS, rightsInWords, type Right } from './roles';

type OwnRole = Schemas['RoleView'];

/** Roles that the account makes beside those that every account has. */
export function OwnRoles() {
  const { accountId } = useScope();
  const { mayChangeTeam } = useRole();
  const queries = useQueryClient();
  const roles = useQuery(rolesQuery(accountId));
  const [edited, setEdited] = useState<OwnRole | 'new'>();
  const headers = headersOf({ accountId });
  const refresh = async () => {
    for (const { queryKey } of [rolesQuery(accountId), membersQuery(accountId), meQuery])
      await queries.invalidateQueries({ queryKey });
  };
  const remove = useMutation({
    mutationFn: (roleId: string) =>
      contentOf(api.DELETE(`${SDK}/roles/{roleId}`, { params: { path: { roleId } }, headers })),
    onSuccess: refresh,
  });
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            Roles of your own
          </Title>
          {mayChangeTeam && edited === undefined && (
            <Button variant="default" size="xs" onClick={() => setEdited('new')}>
              New role
            </Button>
          )}
        </Group>
        {edited && (
          <RoleForm
            key={edited === 'new' ? 'new' : edited.roleId}
            role={edited === 'new' ? undefined : edited}
            onDone={async () => {
              await refresh();
              setEdited(undefined);
            }}
            onCancel={() => setEdited(undefined)}
          />
        )}
        <Load of={roles} what="The roles" height={40}>
          {(list) =>
            list.length === 0 ? (
              <Text size="sm" c="dimmed">
                The account has made no role. A role is a name, and what its members may do.
              </Text>
            ) : (
              <WideTable label="Roles of your own" minWidth={520} columns={['Role', 'May', 'Actions']}>
                {list.map((role) => (
                  <Table.Tr key={role.roleId}>
                    <Table.Td className="breaks">{role.name}</Table.Td>
                    <Table.Td>{rightsInWords(role.rights)}</Table.Td>
                    <Table.Td>
                      {mayChangeTeam && (
                        <Group gap="xs" wrap="nowrap">
                          <Button
                            size="xs"
                            variant="default"
                            aria-label={`Edit the role ${role.name}`}
                            onClick={() => setEdited(role)}
                          >
                            Edit
                          </Button>
                          <Confirm
                            action="Remove"
                            label={`Remove the role ${role.name}`}
                            onConfirm={() => remove.mutateAsync(role.roleId)}
                            isPending={remove.isPending}
                            error={remove.error}
                          >
                            Nobody can be given this role any more. Members who have it need another one first.
                          </Confirm>
                        </Group>
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

interface FormProps {
  readonly role: OwnRole | undefined;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
}

function RoleForm({ role, onDone, onCancel }: FormProps) {
  const { accountId } = useScope();
  const [name, setName] = useState(role?.name ?? '');
  const [rights, setRights] = useState<readonly Right[]>(role?.rights ?? ['read']);
  const save = useMutation({
    mutationFn: () => {
      const [body, headers] = [{ name: name.trim(), rights: [...rights] }, headersOf({ accountId })];
      return role
        ? contentOf(api.PATCH(`${SDK}/roles/{roleId}`, { params: { path: { roleId: role.roleId } }, headers, body }))
        : contentOf(api.POST(`${SDK}/roles`, { headers, body }));
    },
    onSuccess: onDone,
  });
  const turn = (right: Right, isOn: boolean) =>
    setRights(isOn ? [...rights, right] : rights.filter((each) => each !== right));
  return (
    <Form onSubmit={() => save.mutate()}>
      <Stack gap="sm">
        <TextInput
          label="Name of the role"
          placeholder="Finance"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          maw={320}
          required
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" role="group" aria-label="What the role may do">
          {RIGHTS.map(({ value, label, says }) => (
            <Checkbox
              key={value}
              label={label}
              description={says}
              checked={rights.includes(value)}
              onChange={(event) => turn(value, event.currentTarget.checked)}
            />
          ))}
        </SimpleGrid>
        {role && (
          <Text size="sm" c="dimmed">
            A change holds at once for all who have the role. Invitations that they made are withdrawn.
          </Text>
        )}
        {save.error && <Problem error={save.error} what="The role was not saved" />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === '' || rights.length === 0}>
            Save the role
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
