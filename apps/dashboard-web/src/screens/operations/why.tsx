import { Alert, Code, Stack, Text } from '@mantine/core';
import whatToDos from 'virtual:refusal-texts/what-to-do';
import whens from 'virtual:refusal-texts/when';
import { Icon } from '../../ui/icon';

interface Props {
  readonly operation: {
    readonly reason: string | null;
    readonly message: string | null;
    readonly details: Readonly<Record<string, unknown>> | null;
  };
}

/** Why an operation was refused, in plain words, and what to do about it. */
export function Why({ operation }: Props) {
  const { reason, message, details } = operation;
  const whatToDo = reason && whatToDos[reason];
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon name="warning" />}
      title={(reason && whens[reason]) ?? 'The gateway refused it'}
    >
      <Stack gap="xs">
        {whatToDo && <Text size="sm">{whatToDo}</Text>}
        <Text size="sm" className="breaks">
          The app was told: {message ?? 'nothing'} <Code>{reason}</Code>
        </Text>
        {details && Object.keys(details).length > 0 && (
          <Code block className="breaks" style={{ whiteSpace: 'pre-wrap' }}>
            {Object.entries(details)
              .filter(([, value]) => value !== null && value !== 'null')
              .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
              .join('\n')}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
