import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { isReachable } from '../api/client';
import { lost } from '../api/connection';
import { isShort } from '../api/queries';

const ASK_AGAIN_MS = 2_000;
const NOTICE = 'connection';

/**
 * Says that the dashboard does not answer, above everything that is open, and asks until it does. Then it brings
 * everything up to date.
 */
export function useConnection(): void {
  const isLost = useSyncExternalStore(lost.subscribe, lost.get);
  const queries = useQueryClient();
  useEffect(() => {
    // The browser knows its network before the next question of the page fails; the dashboard may be reached all the same.
    const ask = () => void isReachable();
    const changes = ['offline', 'online'];
    for (const change of changes) addEventListener(change, ask);
    return () => {
      for (const change of changes) removeEventListener(change, ask);
    };
  }, []);
  useEffect(() => {
    if (!isLost) return undefined;
    notifications.show({
      ...{ id: NOTICE, position: 'bottom-left', color: 'yellow', loading: true },
      ...{ autoClose: false, withCloseButton: false, title: 'The connection is lost' },
      message:
        'The dashboard does not answer. What you see may be old; what you typed is kept. The page asks again by itself and goes on.',
    });
    const timer = setInterval(() => void isReachable(), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      notifications.hide(NOTICE);
      if (!lost.get()) void queries.invalidateQueries({ predicate: isShort });
    };
  }, [isLost, queries]);
}
