import { Button, Container, Stack } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { ApiError, ConnectionLostError, ScreenFailedError } from '../api/api-error';
import { lost } from '../api/connection';
import { Problem } from '../ui/problem';

/** In place of a screen that could not be shown. It comes back by itself when the dashboard does. */
export function CrashScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  const isLost = useSyncExternalStore(lost.subscribe, lost.get);
  const again = () => {
    resetQueries();
    reset();
    void router.invalidate();
  };
  useEffect(() => {
    if (!isLost && error instanceof ConnectionLostError) again();
  }, [isLost]);
  const isOurs = error instanceof ApiError || error instanceof ConnectionLostError;
  return (
    <Container size="sm" py="xl">
      <Stack>
        <Problem error={isOurs ? error : new ScreenFailedError()} what="The screen could not be shown" retry={again} />
        <Button variant="subtle" onClick={() => void router.navigate({ to: '/' })}>
          To the start page
        </Button>
      </Stack>
    </Container>
  );
}
