import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { Copy } from '../../ui/hex';

/** Secrets with which a server checks messages, until the reader has taken them. */
export function Secrets({ secrets, onClose }: { readonly secrets: readonly string[]; readonly onClose: () => void }) {
  return (
    <Alert
      color="green"
      title="Secrets that sign the messages"
      withCloseButton
      closeButtonLabel="Hide"
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">Your server checks the signature of each message with them (standardwebhooks.com).</Text>
        {secrets.map((secret) => (
          <Group key={secret} wrap="nowrap">
            <Code className="breaks">{secret}</Code>
            <Copy value={secret} of="the secret" />
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
