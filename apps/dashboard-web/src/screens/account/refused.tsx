import { Button, Group, Stack } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error';
import { Problem } from '../../ui/problem';

/** What was refused; a session that is too old leads to the sign-in and back. */
export function Refused({ error, what }: { readonly error: unknown; readonly what: string }) {
  const navigate = useNavigate();
  const { href } = useLocation();
  if (error == null) return null;
  return (
    <Stack gap="xs">
      <Problem error={error} what={what} />
      {error instanceof ApiError && error.reason === 'SIGN_IN_AGAIN' && (
        <Group>
          <Button variant="default" onClick={() => void navigate({ to: '/sign-in', search: { from: href } })}>
            Sign in again
          </Button>
        </Group>
      )}
    </Stack>
  );
}
