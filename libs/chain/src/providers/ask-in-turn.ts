import { inTime, type MonotonicClock, type RetryBudget } from '@paymaster/turns';
import type { ChainEndpoint } from './chain-endpoint';

/** The outcome of one URL: a value, "can't do this", or no usable answer. */
export type Said<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'unable'; readonly error: Error }
  /** `isAttempt` is false where the URL was not really asked. */
  | { readonly kind: 'fault'; readonly error: unknown; readonly isAttempt: boolean };

export interface TurnSettings {
  /** Wait for one answer of one URL. */
  readonly callTimeoutMs: number;
  /** How long a URL may take before the next URL is asked too. */
  readonly hedgeMs: number;
  /** Attempts of one call over all URLs. */
  readonly maxAttempts: number;
  /** No new attempt starts after this. */
  readonly totalTimeoutMs: number;
}

export interface TurnRequest<T> {
  /** In the order in which they are asked. */
  readonly endpoints: readonly ChainEndpoint[];
  readonly settings: TurnSettings;
  readonly retries: RetryBudget;
  readonly clock: MonotonicClock;
  /** When the client is answered at the latest; by the clock. */
  readonly deadlineMs: number;
  /** Asks one URL. Rejects only with an answer that every other URL would give too. */
  readonly ask: (endpoint: ChainEndpoint, timeoutMs: number) => Promise<Said<T>>;
}

/** The fault to report when no URL answered. */
export interface NoAnswer {
  readonly unable: ReadonlyMap<ChainEndpoint, Error>;
  readonly lastFault: unknown;
}

/**
 * Asks one URL after the other until one answers: the next URL when one fails, and also when one is slow. It asks each
 * URL once, then each once more, as far as the budget goes.
 */
export async function askInTurn<T>(request: TurnRequest<T>): Promise<{ readonly value: T } | NoAnswer> {
  const { endpoints, settings, retries, clock, deadlineMs, ask } = request;
  const startedAt = clock();
  const waiting = [...endpoints, ...endpoints];
  const asked = new Set<ChainEndpoint>();
  const running = new Map<ChainEndpoint, Promise<[ChainEndpoint, Said<T>]>>();
  const unable = new Map<ChainEndpoint, Error>();
  let attempts = 0;
  let lastFault: unknown;

  const askNext = (): boolean => {
    const nowMs = clock();
    const leftMs = Math.min(settings.totalTimeoutMs - (nowMs - startedAt), deadlineMs - nowMs);
    if (attempts >= settings.maxAttempts || leftMs <= 0) return false;
    for (;;) {
      const endpoint = waiting.shift();
      if (!endpoint) return false;
      if (endpoint.servesAnotherChain || unable.has(endpoint) || running.has(endpoint)) continue;
      // Asking another URL after a failed one adds no load, but a second call to the same URL does.
      const isMore = running.size > 0 || asked.has(endpoint);
      if (isMore && !retries.take()) return false;
      if (!endpoint.breaker.tryAcquire()) continue;
      attempts += 1;
      asked.add(endpoint);
      const timeoutMs = Math.ceil(Math.min(settings.callTimeoutMs, leftMs));
      running.set(
        endpoint,
        ask(endpoint, timeoutMs).then((said) => [endpoint, said]),
      );
      return true;
    }
  };

  retries.earn();
  let mayHedge = askNext();
  while (running.size > 0) {
    const first = Promise.race(running.values());
    const ended = await (mayHedge ? inTime(first, settings.hedgeMs, () => undefined) : first);
    if (!ended) {
      mayHedge = askNext();
      continue;
    }
    const [endpoint, said] = ended;
    running.delete(endpoint);
    if (said.kind === 'answer') return { value: said.value };
    if (said.kind === 'unable') unable.set(endpoint, said.error);
    else {
      lastFault = said.error;
      if (!said.isAttempt) attempts -= 1;
    }
    if (running.size === 0) askNext();
  }
  return { unable, lastFault };
}
