import { Alert, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { mailAddressQuery } from '../../api/queries';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Refused } from './refused';

/** The address to which links to sign in are mailed. */
export function MailAddress() {
  const queries = useQueryClient();
  const mail = useQuery(mailAddressQuery);
  const [address, setAddress] = useState('');
  const [code, setCode] = useState('');
  const refresh = () => queries.invalidateQueries({ queryKey: mailAddressQuery.queryKey });
  const send = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/person/mail-address`, { body: { address: address.trim() } })),
  });
  const confirm = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/person/mail-address/confirm`, { body: { code: code.trim() } })),
    onSuccess: () => {
      send.reset();
      setAddress('');
      setCode('');
      return refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/person/mail-address`)),
    onSuccess: refresh,
  });
  return (
    <Card>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            Links by mail
          </Title>
          <Text size="sm" c="dimmed">
            A link that is mailed to you signs you in once. Whoever reads your mail can sign in as you.
          </Text>
        </div>
        <Load of={mail} what="The mail settings" height={40}>
          {({ address: known }) =>
            known ? (
              <Group>
                <Text size="sm" className="breaks">
                  Links go to <b>{known}</b>
                </Text>
                <Confirm
                  action="Remove the address"
                  onConfirm={() => remove.mutateAsync()}
                  isPending={remove.isPending}
                  error={null}
                >
                  No link is mailed to {known} any more.
                  <Refused error={remove.error} what="The address was not removed" />
                </Confirm>
              </Group>
            ) : (
              <Text size="sm">No address is confirmed yet.</Text>
            )
          }
        </Load>
        <Form onSubmit={() => send.mutate()}>
          <Group align="flex-end">
            <TextInput
              type="email"
              label="Mail address"
              placeholder="ada@example.org"
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
              maxLength={254}
            />
            <Button type="submit" variant="default" loading={send.isPending} disabled={address.trim() === ''}>
              Send a code there
            </Button>
          </Group>
        </Form>
        <Refused error={send.error} what="The code was not sent" />
        {send.isSuccess && (
          <Form onSubmit={() => confirm.mutate()}>
            <Stack gap="sm">
              <Alert color="blue" title="A code is on its way">
                Copy it out of the mail within 15 minutes, into this field.
              </Alert>
              <Group align="flex-end">
                <TextInput
                  label="Code of the mail"
                  value={code}
                  onChange={(event) => setCode(event.currentTarget.value)}
                  autoComplete="off"
                  spellCheck={false}
                />
                <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ''}>
                  Confirm the address
                </Button>
              </Group>
            </Stack>
          </Form>
        )}
        <Refused error={confirm.error} what="The address was not confirmed" />
      </Stack>
    </Card>
  );
}
