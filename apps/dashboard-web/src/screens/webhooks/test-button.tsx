import { Alert, Button, Code, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../../api/queries';
import { Problem } from '../../ui/problem';

interface Props {
  /** Whom it goes to. */
  readonly label: string;
  /** Of the dialog with the answer. */
  readonly title: string;
  readonly send: () => Promise<Schemas['WebhookTestView']>;
}

/** Sends a message that means nothing, and shows what the receiver said. */
export function TestButton({ label, title, send }: Props) {
  const test = useMutation({ mutationFn: send });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`Test ${label}`}
      >
        Test
      </Button>
      <Modal opened={test.isSuccess || test.isError} onClose={test.reset} title={title}>
        {test.error && <Problem error={test.error} what="No message was sent" />}
        {test.data && <Answer result={test.data} />}
      </Modal>
    </>
  );
}

function Answer({ result }: { readonly result: Schemas['WebhookTestView'] }) {
  const { delivered, status, answer, problem, tookMs } = result;
  return (
    <Alert color={delivered ? 'green' : 'red'} title={delivered ? 'It arrived' : 'It did not arrive'}>
      <Stack gap="xs">
        <Text size="sm" className="breaks">
          {problem ??
            (status === null
              ? `It was taken after ${tookMs} ms.`
              : `It answered with HTTP status ${status} after ${tookMs} ms.`)}
        </Text>
        {answer && (
          <Code block className="breaks" style={{ whiteSpace: 'pre-wrap' }}>
            {answer}
          </Code>
        )}
        {!delivered && (
          <Text size="sm">
            A message has arrived when the answer has a status of 2xx. Tests are not in the log, and not sent again.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
