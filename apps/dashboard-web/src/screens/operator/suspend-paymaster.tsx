import { Button, List, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { tenantsKey, type Schemas } from '../../api/queries';
import { EditDialog, useUnsaved } from '../../ui/edit-dialog';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';

const MAX_REASON_LENGTH = 300;

interface Props {
  readonly paymaster: Schemas['TenantPaymasterView'];
}

/** Asks for the reason, and says what will stop working. */
export function SuspendPaymaster({ paymaster }: Props) {
  const { name } = paymaster;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="light" color="red" size="xs" onClick={open} aria-label={`Suspend ${name}`}>
        Suspend
      </Button>
      <EditDialog opened={opened} onClose={close} title={`Suspend ${name}`}>
        <SuspendForm paymaster={paymaster} onDone={close} />
      </EditDialog>
    </>
  );
}

function SuspendForm({ paymaster: { paymasterId }, onDone }: Props & { readonly onDone: () => void }) {
  const [reason, setReason] = useState('');
  useUnsaved(reason !== '');
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
      onDone();
      await queries.invalidateQueries({ queryKey: tenantsKey });
    },
  });
  return (
    <Form onSubmit={() => suspend.mutate()}>
      <Stack>
        <List size="sm" spacing={4}>
          <List.Item>
            From the next second on, gateways refuse every request of this paymaster, with any of its keys: its apps get
            no gas from it, neither sponsored nor paid in a token.
          </List.Item>
          <List.Item>What was signed before still lands until it expires.</List.Item>
          <List.Item>
            Deposits, withdrawals and settlement go on. Its owner sees everything as before, and cannot resume it.
          </List.Item>
        </List>
        <Textarea
          label="Reason"
          description="The owner and all apps read it, word for word."
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
        <FormFooter says={suspend.error && <Problem error={suspend.error} what="It was not suspended" />}>
          <Button variant="default" onClick={onDone}>
            Keep it running
          </Button>
          <Button type="submit" color="red" loading={suspend.isPending} disabled={reason.trim() === ''}>
            Suspend it
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}
