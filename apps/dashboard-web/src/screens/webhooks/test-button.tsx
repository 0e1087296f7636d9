import { Alert, Button, Code, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import type { Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Problem } from '../../ui/problem';

/** Sends a message that means nothing, and shows what the server said. */
export function TestButton({ webhook: { webhookId, webhookUrl } }: { readonly webhook: Schemas['WebhookView'] }) {
  const headers = headersOf(useScope());
  const test = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/webhook/test`, { headers, body: { webhookId } })),
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`Test ${webhookUrl}`}
      >
        Test
      </Button>
      <Modal opened={test.isSuccess || test.isError} onClose={test.reset} title="Test of the webhook">
        {test.error && <Problem error={test.error} what="No message was sent" />}
        {test.data && <Answer result={test.data} />}
      </Modal>
    </>
  );
}

function Answer({ result }: { readonly result: Schemas['WebhookTestView'] }) {
  const { delivered, status, answer, problem, tookMs } = result;
  return (
    <Alert
      color={delivered ? 'green' : 'red'}
      title={delivered ? 'Your server took it' : 'Your server did not take it'}
    >
      <Stack gap="xs">
        <Text size="sm" className="breaks">
          {problem ?? `It answered with HTTP status ${status} after ${tookMs} ms.`}
        </Text>
        {answer && (
          <Code block className="breaks" style={{ whiteSpace: 'pre-wrap' }}>
            {answer}
          </Code>
        )}
        {!delivered && (
          <Text size="sm">
            A server takes a message when it answers with a status of 2xx. Tests are not in the log, and not sent again.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
