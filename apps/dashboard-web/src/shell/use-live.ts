import { useDocumentVisibility, useThrottledCallback } from '@mantine/hooks';
import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { headersOf, reach, refusalOf, SDK } from '../api/client';
import { live } from '../api/connection';
import type { StreamEvent } from '../api/event-stream-parser';
import { followEvents } from '../api/follow-events';
import { isShort } from '../api/queries';
import { topicsOf } from '../api/topics';
import { useScope } from './use-scope';

/** A busy paymaster has events all the time; what they are about is not asked for more often than this. */
const OFTEN_MS = 2_000;

/**
 * Follows what happens in the account, and asks again for what an event is about. A tab that is not looked at holds no
 * stream, because a browser opens few connections to an origin.
 */
export function useLive(): void {
  const { accountId } = useScope();
  const queries = useQueryClient();
  const isSeen = useDocumentVisibility() === 'visible';
  const untold = useRef<StreamEvent[]>([]);
  const tell = useThrottledCallback(() => {
    for (const queryKey of topicsOf(accountId, untold.current.splice(0))) {
      void queries.invalidateQueries({ queryKey, predicate: isShort });
    }
  }, OFTEN_MS);
  useEffect(() => {
    if (!isSeen) return undefined;
    const leaving = new AbortController();
    const readAgain = () => queries.invalidateQueries({ predicate: isPolled });
    void followEvents({
      signal: leaving.signal,
      open: (lastId, signal) => openStream(accountId, lastId, signal),
      onUp: (isNew) => {
        live.set('up');
        if (isNew) void readAgain();
      },
      onEvents: (events) => {
        untold.current.push(...events);
        tell();
      },
      onEnd: () => {
        live.set('off');
        // They begin to ask by themselves with their next answer.
        void readAgain();
      },
      onFailure: () => live.set('down'),
    });
    return () => {
      leaving.abort();
      live.set('off');
    };
  }, [accountId, isSeen, queries, tell]);
}

async function openStream(accountId: string, lastId: string | undefined, signal: AbortSignal): Promise<Response> {
  const headers = { ...headersOf({ accountId }), ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
  const response = await reach(`${SDK}/events`, { headers, signal, cache: 'no-store' });
  if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => undefined));
  return response;
}

/** What is asked for at intervals while no stream tells of it. */
function isPolled(query: Query): boolean {
  return ['operations', 'usage'].includes(String(query.queryKey[3])) && isShort(query);
}
