import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Problem } from './problem';

interface Props {
  /** The button's text, and the question's title: `Delete the contract`. */
  readonly action: string;
  /** What will stop working. */
  readonly children: ReactNode;
  readonly onConfirm: () => Promise<unknown>;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly label?: string;
  /** As large as the buttons beside it. */
  readonly size?: 'xs' | 'sm';
  readonly disabled?: boolean;
}

/** What a {@link Confirm} does, and how that goes. */
export function asked(deed: {
  readonly mutateAsync: () => Promise<unknown>;
  readonly isPending: boolean;
  readonly error: unknown;
}): Pick<Props, 'onConfirm' | 'isPending' | 'error'> {
  return { onConfirm: () => deed.mutateAsync(), isPending: deed.isPending, error: deed.error };
}

/** A button whose deed cannot be undone: it asks first, and says what will stop working. */
export function Confirm({ action, children, onConfirm, isPending, error, label, size = 'xs', disabled }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="light"
        color="red"
        size={size}
        onClick={open}
        disabled={disabled ?? false}
        {...(label && { 'aria-label': label })}
      >
        {action}
      </Button>
      <Modal opened={opened} onClose={close} title={action}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          {error != null && <Problem error={error} what="It was not done" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Keep it
            </Button>
            <Button color="red" loading={isPending} onClick={() => void onConfirm().then(close, () => undefined)}>
              {action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
