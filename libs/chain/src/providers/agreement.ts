import { setTimeout as sleep } from 'node:timers/promises';
import { RequestTimedOutError } from '@paymaster/domain';
import { assertInTime, inTime, timeoutWithin, type MonotonicClock } from '@paymaster/turns';
import { isTimeout, JsonRpcResponseError, JsonRpcTransportError } from '../json-rpc/json-rpc-errors';
import { UnexpectedAnswerError } from '../json-rpc/parse';
import { WrongChainError } from './chain-endpoint';
import { DisagreementError, NotAgreedError } from './not-agreed.error';
import type { RankedEndpoint } from './ranked-endpoint';

/** A read on which providers have to agree. */
export interface AgreedRead<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Throws on an answer that cannot be true; the provider then counts as not having answered. */
  readonly parse: (value: unknown) => T;
  /** Equal for equal answers. */
  readonly key: (value: T) => string;
  /** Turns a JSON-RPC error that is an answer, such as a revert, into one. */
  readonly fromError?: (error: JsonRpcResponseError) => T | undefined;
  /** The key of an answer that a lagging node gives; such a node is not demoted for it. */
  readonly laggingKey?: string;
  readonly maxAnswerBytes?: number;
  /** The read may take longer than a provider's time, so a timeout says nothing about the provider. */
  readonly mayBeTooMuch?: boolean;
}

export interface AgreementSettings {
  /** Longest wait for one answer of one provider. */
  readonly callTimeoutMs: number;
  /** How long a provider may take before the next provider is asked too. */
  readonly hedgeMs: number;
  /** No new call starts after this. */
  readonly totalTimeoutMs: number;
  /** Calls to one provider for one read: a second call only after a passing fault. */
  readonly maxAttempts: number;
  /**
   * How long a provider that failed is left alone before its second call, roughly; twice as long before later calls.
   */
  readonly retryAfterMs: number;
}

/** A provider that may be asked, and the time from which on it may be asked. */
interface Turn {
  readonly ranked: RankedEndpoint;
  /** Calls to it for this read, the next one included. */
  readonly attempt: number;
  readonly dueMs: number;
}

interface Group<T> {
  readonly value: T;
  readonly from: RankedEndpoint[];
}

/**
 * The longest pause, as a multiple of `retryAfterMs`: clients do not wait longer. {@link CallGate} keeps a provider's
 * quota.
 */
const LONGEST_PAUSE = 2;

/** What every read of a chain shares. */
export interface AgreementContext extends AgreementSettings {
  readonly chainId: number;
  readonly clock: MonotonicClock;
  /** When the client is answered at the latest; by the clock. */
  readonly deadlineMs: number;
  /** Providers that must say the same. */
  readonly needed: number;
  /** All providers, the most trusted first. */
  readonly endpoints: readonly RankedEndpoint[];
  readonly onFault: (error: Error) => void;
}

/**
 * Asks as many providers as must agree, and one more for each that fails, hangs or contradicts. The first answer that
 * enough of them give wins. Providers with another answer are reported, and asked last for a while.
 *
 * @throws {NotAgreedError} when no answer has enough providers
 * @throws {RequestTimedOutError} when there is no such answer before the client's deadline
 */
export async function agree<T>(context: AgreementContext, read: AgreedRead<T>): Promise<T> {
  const { needed, clock, deadlineMs, totalTimeoutMs, hedgeMs } = context;
  const startedAt = clock();
  assertInTime(deadlineMs, startedAt);
  const waiting: Turn[] = context.endpoints.map((ranked) => ({ ranked, attempt: 1, dueMs: startedAt }));
  const groups = new Map<string, Group<T>>();
  const faults: unknown[] = [];
  const running = new Set<Promise<void>>();
  const endsAt = Math.min(startedAt + totalTimeoutMs, deadlineMs);
  const isInTime = () => clock() < endsAt;

  const ask = (): void => {
    // All pauses run at the same time: a provider that is due does not wait for another one's pause.
    const next = waiting.reduce((soonest, turn) => (turn.dueMs < soonest.dueMs ? turn : soonest));
    waiting.splice(waiting.indexOf(next), 1);
    const { ranked, attempt, dueMs } = next;
    const call = callOne({ context, read, ranked, pauseMs: dueMs - clock() })
      .then((value) => {
        const key = read.key(value);
        const group = groups.get(key) ?? { value, from: [] };
        groups.set(key, group);
        group.from.push(ranked);
      })
      .catch((error: unknown) => {
        faults.push(error);
        const pauseMs = pauseAfter(error, { ...context, attempt });
        if (pauseMs !== undefined) waiting.push({ ranked, attempt: attempt + 1, dueMs: clock() + pauseMs });
      })
      .finally(() => running.delete(call));
    running.add(call);
  };

  for (;;) {
    const [key, largest] = [...groups].sort(([, a], [, b]) => b.from.length - a.from.length)[0] ?? [];
    const agreed = largest?.from.length ?? 0;
    if (largest && agreed >= needed) {
      for (const [otherKey, { from }] of groups)
        if (otherKey !== key && otherKey !== read.laggingKey && key !== read.laggingKey)
          for (const ranked of from) contradict(context, ranked, read.method);
      return largest.value;
    }
    while (agreed + running.size < needed && waiting.length > 0 && isInTime()) ask();
    if (agreed + running.size < needed) {
      assertInTime(deadlineMs, clock());
      // A timer may end a call just before the deadline.
      const timedOut = faults.find((fault) => fault instanceof RequestTimedOutError);
      if (timedOut) throw timedOut;
      throw new NotAgreedError(
        `chain ${context.chainId}: ${agreed} of ${context.endpoints.length} providers agree on ${read.method}, ${needed} are needed`,
        faults,
        groups.size,
      );
    }
    const first = await inTime(Promise.race(running), hedgeMs, () => 'slow');
    if (first === 'slow' && waiting.length > 0 && isInTime()) ask();
  }
}

/**
 * How long a provider is not asked after a failed call; undefined if the call would fail again. A provider with a quota
 * answers again when the quota is renewed. The length is random, so that calls that failed together don't meet again.
 *
 * @returns milliseconds
 */
export function pauseAfter(
  error: unknown,
  { attempt, maxAttempts, retryAfterMs }: { attempt: number } & Pick<AgreementSettings, 'maxAttempts' | 'retryAfterMs'>,
): number | undefined {
  if (!isTooMany(error) && !(isPassing(error) && attempt < maxAttempts)) return undefined;
  return retryAfterMs * Math.min(attempt, LONGEST_PAUSE) * (0.5 + Math.random());
}

/** One call to one provider, its breaker and the reports about it. */
export async function callOne<T>(request: {
  context: Pick<AgreementContext, 'callTimeoutMs' | 'clock' | 'deadlineMs' | 'onFault'>;
  read: AgreedRead<T>;
  ranked: RankedEndpoint;
  pauseMs?: number;
}): Promise<T> {
  const { context, read, ranked, pauseMs = 0 } = request;
  const { endpoint, gate } = ranked;
  if (pauseMs > 0) await sleep(pauseMs);
  await gate.enter();
  let timeoutMs = context.callTimeoutMs;
  try {
    timeoutMs = timeoutWithin(context.deadlineMs, { boundMs: timeoutMs, nowMs: context.clock() });
    if (!endpoint.breaker.tryAcquire()) throw new ProviderRestsError(endpoint.host);
    const answer = await endpoint.call(read.method, read.params, timeoutMs, read.maxAnswerBytes);
    const value = read.parse(answer);
    endpoint.breaker.succeeded();
    gate.answered();
    return value;
  } catch (error) {
    if (error instanceof ProviderRestsError || error instanceof RequestTimedOutError) throw error;
    if (isTooMany(error)) gate.refused();
    const isCutShort = isTimeout(error) && timeoutMs < context.callTimeoutMs;
    if (isAnswer(error) || (read.mayBeTooMuch && isTimeout(error))) endpoint.breaker.succeeded();
    // A request with little time left says nothing about the provider.
    else if (!isCutShort) endpoint.breaker.failed();
    const answer = error instanceof JsonRpcResponseError ? read.fromError?.(error) : undefined;
    if (answer !== undefined) return answer;
    context.onFault(hostNamed(endpoint.host, error));
    throw isCutShort ? new RequestTimedOutError() : error;
  } finally {
    gate.leave();
  }
}

/** Its breaker is open: it failed several times just now. */
export class ProviderRestsError extends Error {
  constructor(host: string) {
    super(`${host} is not asked at the moment`);
    this.name = 'ProviderRestsError';
  }
}

function contradict(context: AgreementContext, ranked: RankedEndpoint, method: string): void {
  ranked.demote();
  context.onFault(new DisagreementError(ranked.endpoint.host, method));
}

/** Whether the same question may succeed in a moment. */
function isPassing(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return true;
  if (!(error instanceof JsonRpcTransportError)) return false;
  return error.fault === 'connection' || error.fault === 'httpStatus' || error.fault === 'invalidAnswer';
}

/** HTTP 429, or a JSON-RPC error that says so (EIP-1474: -32005, limit exceeded). */
function isTooMany(error: unknown): boolean {
  if (error instanceof JsonRpcTransportError) return error.status === 429;
  if (!(error instanceof JsonRpcResponseError)) return false;
  return error.code === 429 || /rate limit|too many requests|exceeded.*(capacity|per second)/i.test(error.rpcMessage);
}

/** A JSON-RPC error or a quota says nothing about whether the provider is down. */
function isAnswer(error: unknown): boolean {
  if (error instanceof JsonRpcTransportError) return error.fault === 'tooLarge' || isTooMany(error);
  return error instanceof JsonRpcResponseError || error instanceof WrongChainError;
}

function hostNamed(host: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(`${host}: ${String(error)}`);
  return error.message.includes(host) ? error : new Error(`${host}: ${error.message}`, { cause: error });
}
