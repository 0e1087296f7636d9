import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, ConnectionLostError } from './api/api-error';

const TRIES = 2;

/** Hears of a session that has ended while the page is open. The router listens. */
export const sessionEnded = new EventTarget();

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) sessionEnded.dispatchEvent(new Event('ended'));
    },
  }),
  defaultOptions: {
    queries: {
      // A refusal stays a refusal; what may pass is asked again.
      retry: (failures, error) =>
        !(error instanceof ConnectionLostError) &&
        !(error instanceof ApiError && error.status < 500) &&
        failures < TRIES,
      // The page has its own sign of a lost connection, which also sees a server that is down.
      networkMode: 'always',
      staleTime: 2_000,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
