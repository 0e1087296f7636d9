import { Button, Card, Container, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { meQuery } from '../../api/queries';
import { Form } from '../../ui/form';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';

/** A person who is a member of no account makes one, where the operator allows it. */
export function NoAccountScreen() {
  const [name, setName] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/account`, { body: { name: name.trim() } })),
    onSuccess: async () => {
      await queries.fetchQuery({ ...meQuery, staleTime: 0 });
      await navigate({ to: '/' });
    },
  });
  return (
    <Container size="sm" py="xl" component="main">
      <Page title="Your first account" sub="An account holds paymasters, and the people who look after them.">
        <Card>
          <Form onSubmit={() => create.mutate()}>
            <Stack>
              <TextInput
                label="Name of the account"
                placeholder="My team"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                required
                maxLength={100}
              />
              {create.error && <Problem error={create.error} what="The account was not made" />}
              <Group justify="flex-end">
                <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                  Make the account
                </Button>
              </Group>
            </Stack>
          </Form>
        </Card>
      </Page>
    </Container>
  );
}
