import { Alert, Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { reach, SDK } from '../api/client';
import { live, lost } from '../api/connection';

const ASK_AGAIN_MS = 2_000;

/**
 * Says that the dashboard does not answer, asks until it does, and then brings everything up to date. Says also that
 * only the stream of events is missing.
 */
export function ConnectionBanner() {
  const isLost = useSyncExternalStore(lost.subscribe, lost.get);
  const isLive = useSyncExternalStore(live.subscribe, live.get) !== 'down';
  const queries = useQueryClient();
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setInterval(() => void reach(`${SDK}/session`).catch(() => undefined), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      if (!lost.get()) void queries.invalidateQueries();
    };
  }, [isLost, queries]);
  return (
    <div role="status" aria-live="polite">
      {isLost && (
        <Alert color="yellow" icon={<Loader size="xs" color="yellow" />} title="The connection is lost" mb="md">
          The dashboard does not answer. What you see may be old. The page asks again by itself and goes on.
        </Alert>
      )}
      {!isLost && !isLive && (
        <Alert color="gray" title="Updates come late" mb="md">
          The dashboard does not tell what happens as it happens. The page asks every few seconds instead.
        </Alert>
      )}
    </div>
  );
}
