import { Alert, Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { reach, SDK } from '../api/client';
import { connection } from '../api/connection';

const ASK_AGAIN_MS = 2_000;

/** Says that the dashboard does not answer, asks until it does, and then brings everything up to date. */
export function ConnectionBanner() {
  const lost = useSyncExternalStore(connection.subscribe, connection.lost);
  const queries = useQueryClient();
  useEffect(() => {
    if (!lost) return undefined;
    const timer = setInterval(() => void reach(`${SDK}/session`).catch(() => undefined), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      if (!connection.lost()) void queries.invalidateQueries();
    };
  }, [lost, queries]);
  return (
    <div role="status" aria-live="polite">
      {lost && (
        <Alert color="yellow" icon={<Loader size="xs" color="yellow" />} title="The connection is lost" mb="md">
          The dashboard does not answer. What you see may be old. The page asks again by itself and goes on.
        </Alert>
      )}
    </div>
  );
}
