import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { ApiError, ConnectionLostError, RefusedBySomeError, ScreenFailedError } from '../api/api-error';
import { PasskeyError } from '../passkey/passkey-error';
import { walletSentence } from '../wallet/wallet-error';
import { Icon } from './icon';

interface Props {
  readonly error: unknown;
  /** What was tried, as in `The wallet could not be linked`. */
  readonly what: string;
  readonly retry?: (() => void) | undefined;
}

/** What went wrong, and what to do about it. */
export function Problem({ error, what, retry }: Props) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert
      color="red"
      variant="light"
      title={error instanceof RefusedBySomeError ? 'Not everywhere' : what}
      icon={<Icon name="warning" />}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm" className="breaks">
          {sentence(error)} {whatToDo(error, retry !== undefined)}
        </Text>
        {requestId && (
          <Text size="xs" className="breaks">
            Request {requestId}: give this id to the operator if you ask about it.
          </Text>
        )}
        {retry && (
          <Group>
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** Answers of the interface document that are written for programs, as people read them. */
const FOR_PEOPLE: Readonly<Record<string, string>> = {
  'Too many mails were sent lately: wait a quarter of an hour':
    'Too many mails were sent lately. Wait a quarter of an hour.',
  paymaster_name_exists: 'This name is taken: each name is given once for a chain. Choose another one.',
  'A paymaster can have at most 3 former API keys: end them, or end this one with previousKeyValidSeconds 0':
    'Three old main keys work still, and more may not. End them first, or choose that the old key works no longer.',
  'A key can have at most 3 former texts: end all of them with previousKeyValidSeconds 0':
    'Three old texts of this key work still, and more may not. Choose that the old text works no longer.',
  'Paymaster Policy not found': 'This paymaster has no such policy.',
  'User not found': 'This account has no such paymaster. The address of this page may be misspelt.',
};

function sentence(error: unknown): string {
  if (error instanceof ApiError) return ended(FOR_PEOPLE[error.message] ?? error.message);
  if (error instanceof ConnectionLostError || error instanceof ScreenFailedError) return ended(error.message);
  if (error instanceof PasskeyError) return ended(error.message);
  return ended(walletSentence(error));
}

function whatToDo(error: unknown, isRead: boolean): string {
  if (error instanceof ConnectionLostError) {
    return isRead
      ? 'The page asks again by itself.'
      : 'Whether it was done is not known. What you typed is kept: look and try again when the connection is back.';
  }
  if (!(error instanceof ApiError)) return '';
  if (error.reason === 'GATEWAY_UNAVAILABLE') {
    return 'Ask again in a few seconds. If no gateway answers then, ask the operator whether one runs for this chain.';
  }
  if (error.message.startsWith('You are not signed in')) return 'Sign in again in another tab, and try again here.';
  if (error.reason === 'LIMIT_REACHED' && !(error.message in FOR_PEOPLE))
    return 'Remove another one first, or ask the operator for more room.';
  if (error.status === 404 && error.message !== 'User not found') {
    return 'Somebody may have removed it meanwhile: reload the page.';
  }
  if (error.status === 403 && error.reason !== 'SIGN_IN_AGAIN' && !error.message.includes('second factor'))
    return 'Ask an owner of the account if you need this.';
  if (error.status === 409) return 'Somebody changed it meanwhile: reload, look at the change, and try again.';
  if (error.status === 429 && error.reason !== 'TOO_MANY_CODES') return 'Too many requests were sent: wait a minute.';
  if (error.status >= 500) return 'Try again in a moment.';
  return '';
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
