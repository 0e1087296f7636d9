import { Alert } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { live, lost } from '../api/connection';

/** Says that the dashboard answers, but does not tell what happens. */
export function LateBanner() {
  const isLost = useSyncExternalStore(lost.subscribe, lost.get);
  const isLate = useSyncExternalStore(live.subscribe, live.get) === 'down';
  return (
    <div role="status" aria-live="polite">
      {isLate && !isLost && (
        <Alert color="gray" title="Updates come late" mb="md">
          The dashboard does not tell what happens as it happens. The page asks every few seconds instead.
        </Alert>
      )}
    </div>
  );
}
