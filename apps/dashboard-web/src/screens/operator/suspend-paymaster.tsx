import { Button, Group, List, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { tenantsKey, type Schemas } from '../../api/queries';
import { Form } from '../../ui/form';
import { Problem } from '../../ui/problem';

const MAX_REASON_LENGTH = 300;

/** Asks for the reason, and says what will stop working. */
export function SuspendPaymaster({ paymaster }: { readonly paymaster: Schemas['TenantPaymasterView'] }) {
  const { paymasterId, name } = paymaster;
  const [opened, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const queries = useQueryClient();
  const suspend = useMutation({
    mutationFn: () =>
      contentOf(
        api.POST(`${SDK}/operator/paymaster/{paymasterId}/suspend`, {
          params: { path: { paymasterId } },
          body: { reason: reason.trim() },
        }),
      ),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: tenantsKey });
    },
  });
  return (
    <>
      <Button variant="light" color="red" size="xs" onClick={open} aria-label={`Suspend ${name}`}>
        Suspend
      </Button>
      <Modal opened={opened} onClose={close} title={`Suspend ${name}`}>
        <Form onSubmit={() => suspend.mutate()}>
          <Stack>
            <List size="sm" spacing={4}>
              <List.Item>
                From the next second on, gateways refuse every request of this paymaster, with any of its keys: its apps
                get no gas from it, neither sponsored nor paid in a token.
              </List.Item>
              <List.Item>What was signed before still lands until it expires.</List.Item>
              <List.Item>
                Deposits, withdrawals and settlement go on. Its owner sees everything as before, and cannot resume it.
              </List.Item>
            </List>
            <Textarea
              label="Reason"
              description="The owner and all clients read it, word for word."
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value.replace(/\s+/g, ' '))}
              maxLength={MAX_REASON_LENGTH}
              autosize
              minRows={2}
              required
              data-autofocus
            />
            <Text size="xs" c="dimmed">
              {reason.length} of {MAX_REASON_LENGTH} characters
            </Text>
            {suspend.error && <Problem error={suspend.error} what="It was not suspended" />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Keep it running
              </Button>
              <Button type="submit" color="red" loading={suspend.isPending} disabled={reason.trim() === ''}>
                Suspend it
              </Button>
            </Group>
          </Stack>
        </Form>
      </Modal>
    </>
  );
}
