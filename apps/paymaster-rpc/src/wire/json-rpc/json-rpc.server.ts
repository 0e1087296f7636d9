import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { DependencyUnavailableError, DomainError } from '@paymaster/domain';
import { clientSite, LongWork, TRACER, type Pieces } from '@paymaster/nest-kit';
import { NO_SPAN, type Span, type Tracer } from '@paymaster/tracing';
import { NO_DEADLINE } from '@paymaster/turns';
import type { Caller } from '../../callers/caller';
import { CallerService } from '../../callers/caller.service';
import type { Credentials } from '../../callers/credentials';
import { assertKeyCalls, assertKeyMayBundle, originsOfKey } from '../../callers/key-grants';
import { assertNotSuspended } from '../../callers/suspension';
import { DecisionLog } from '../../decide/verdict/decision-log';
import { signsWhenSent } from '../../answers/sign-when-sent.service';
import type { Answered, RequestMeter } from '../../metrics/request-meter';
import { RpcMetrics } from '../../metrics/rpc-metrics';
import { Operations, type OperationRequest } from '../operations/operations.service';
import type { LoadedPolicy } from '../../snapshots/policy-copies';
import { NO_DIALECT, toWireError, type ErrorManner } from '../../platform/errors/error-table';
import { InvalidRequestError } from '../../platform/errors/rpc-errors';
import { JsonText } from './json-text';
import { payWithOf } from '../../decide/tokens/pay-with';
import { RequestLog, type AnsweredRequest } from '../request-log/request-log.service';
import { MethodRegistry } from './method-registry';
import { parseBody } from './parse-body';
import { rawIds } from './raw-ids';
import type { ParsedRequest } from './rpc-method';

/** How clients write the version of JSON-RPC; Etherspot's write the second form, Biconomy's the third. */
const VERSIONS: ReadonlySet<unknown> = new Set(['2.0', '2', '2.0.0']);

/** Entries of one batch. */
export const MAX_BATCH_ENTRIES = 20;
/** The entries of a larger body are processed in pieces. The body of a single operation is usually smaller. */
const LARGE_BODY_BYTES = 16_384;

/** The parts of an HTTP request that the frame needs, besides the body. */
export interface HttpFrame {
  readonly requestId: string;
  readonly credentials: Credentials;
  readonly origin: string | undefined;
  /** The client's address, as reported by the operator's trusted proxies. */
  readonly clientAddress: string | undefined;
  /** All headers of the request: few requests send the ones that are looked for here. */
  readonly headers?: IncomingHttpHeaders;
  /** The trace to which the client's request belongs, if the request names one. */
  readonly traceparent?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterSeconds?: number;
  /** Whether the paymaster signs operations of EntryPoint v0.9 when they are sent. Every answer tells clients. */
  readonly signsWhenSent?: boolean;
  /** The origins that may read the answer: the paymaster's, or every origin while the paymaster is not known. */
  readonly allowedOrigins: readonly string[];
}

interface Entry {
  readonly status: number;
  readonly body: string;
  readonly retryAfterSeconds?: number;
}

/** The caller of an HTTP request. It is identified once, and only when a method needs it. */
interface Session {
  readonly frame: HttpFrame;
  /** @param span of the entry that asks first */
  readonly identify: (span: Span) => Promise<Caller>;
  caller?: Caller;
  /** Also that of a caller who was refused. */
  paymaster?: LoadedPolicy;
}

/** JSON-RPC 2.0 as the gateway speaks it: one body in, one body out. Never throws. */
@Injectable()
export class JsonRpcServer {
  private readonly largeBodies = new LongWork();

  constructor(
    private readonly registry: MethodRegistry,
    private readonly operations: Operations,
    private readonly callers: CallerService,
    private readonly log: DecisionLog,
    private readonly metrics: RpcMetrics,
    @Inject(TRACER) private readonly tracer: Tracer,
    private readonly requestLog: RequestLog,
  ) {}

  /** @param deadlineMs when the request is answered at the latest; milliseconds of the monotonic clock */
  async handle(body: Uint8Array, frame: HttpFrame, deadlineMs = NO_DEADLINE): Promise<HttpAnswer> {
    this.metrics.inFlight++;
    try {
      const isLarge = body.length > LARGE_BODY_BYTES;
      const pieces = isLarge ? this.largeBodies.of(clientSite(frame.clientAddress)) : undefined;
      if (pieces) await pieces.pause();
      const { value, text } = parseBody(body);
      if (!Array.isArray(value)) {
        const session = this.session(frame, 1, deadlineMs);
        const entry = await this.answer(value, { text, read: () => rawIds(text)[0] }, session);
        return { ...entry, ...toldOf(session.caller?.paymaster) };
      }
      return await this.handleBatch(value, text, { frame, deadlineMs, pieces });
    } catch (error) {
      return { ...this.refuse(error, frame), allowedOrigins: ['*'] };
    } finally {
      this.metrics.inFlight--;
    }
  }

  /** The answer to a request whose frame is refused before a method is known. */
  refuse(refusal: unknown, { requestId, clientAddress }: Pick<HttpFrame, 'requestId' | 'clientAddress'>): Entry {
    const error = this.orLimited(refusal, clientAddress);
    this.metrics.withoutMethod.refused(error);
    return this.failure({ error, id: 'null', requestId, errors: NO_DIALECT, explain: false });
  }

  /**
   * Answers a preflight: the origins whose pages may send requests. Every origin may if the URL does not show which
   * paymaster is meant.
   *
   * @throws {RateLimitedError} when the client's address sends too many preflights to URLs without a key
   */
  async allowedOrigins({ credentials, requestId, clientAddress }: HttpFrame): Promise<readonly string[]> {
    if (credentials.pathKey === undefined) {
      this.callers.assertMayAskWithoutKey(clientAddress);
      return ['*'];
    }
    try {
      const { paymaster } = await this.callers.identify({
        ...{ credentials, requestId, clientAddress, isPreflight: true },
        ...{ origin: undefined, weight: 1, span: NO_SPAN, deadlineMs: NO_DEADLINE },
      });
      return originsOf(paymaster);
    } catch {
      return ['*']; // The answer to the POST will say what is wrong, and the page may read it.
    }
  }

  private async handleBatch(
    values: readonly unknown[],
    text: string,
    { frame, deadlineMs, pieces }: { frame: HttpFrame; deadlineMs: number; pieces: Pieces | undefined },
  ): Promise<HttpAnswer> {
    if (values.length === 0 || values.length > MAX_BATCH_ENTRIES) {
      throw new InvalidRequestError(`A batch has 1 to ${MAX_BATCH_ENTRIES} entries, not ${values.length}.`);
    }
    let ids: ReadonlyArray<string | undefined> | undefined;
    const session = this.session(frame, values.length, deadlineMs);
    const answers: Array<Promise<Entry>> = [];
    for (const [index, value] of values.entries()) {
      if (pieces) await pieces.pause();
      answers.push(this.answer(value, { read: () => (ids ??= rawIds(text))[index] }, session));
    }
    const entries = await Promise.all(answers);
    const [first] = entries;
    const uniform = entries.every(({ status }) => status === first?.status);
    return {
      // When one entry fails, the batch still has its other answers. When all entries fail for one reason (an unknown
      // key, a limit), the batch fails.
      status: uniform && first ? first.status : 200,
      ...(uniform && first?.retryAfterSeconds ? { retryAfterSeconds: first.retryAfterSeconds } : {}),
      body: `[${entries.map((entry) => entry.body).join(',')}]`,
      ...toldOf(session.caller?.paymaster),
    };
  }

  private session(frame: HttpFrame, weight: number, deadlineMs: number): Session {
    let identified: Promise<Caller> | undefined;
    const session: Session = {
      frame,
      identify: (span) =>
        (identified ??= this.callers
          .identify({ ...frame, weight, span, deadlineMs, known: session })
          .then((caller) => (session.caller = caller))),
    };
    return session;
  }

  private async answer(value: unknown, rawId: RawId, session: Session): Promise<Entry> {
    const startedMs = performance.now();
    const { requestId } = session.frame;
    let meter: RequestMeter = this.metrics.withoutMethod;
    let id = 'null';
    let errors = NO_DIALECT;
    let span = NO_SPAN;
    let method: string | undefined;
    let parsed: ParsedRequest | undefined;
    try {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new InvalidRequestError('A request is a JSON object.');
      }
      const request = value as Record<string, unknown>;
      id = idOf(request['id'], rawId);
      if (!VERSIONS.has(request['jsonrpc'])) {
        throw new InvalidRequestError('jsonrpc must be "2.0".');
      }
      const asked = request['method'] ?? methodLeftOut(request['params']);
      if (typeof asked !== 'string') throw new InvalidRequestError('method must be a string.');
      const registered = this.registry.get(asked);
      const { method: named } = registered.first;
      method = named.name;
      meter = registered.meter('none');
      errors = registered.first.errors;
      span = this.tracer.serve(named.name, session.frame.traceparent);
      let result: unknown;
      let answered: Answered = 'answered';
      if ('anonymous' in named) {
        this.callers.assertMayAskWithoutKey(session.frame.clientAddress, named.weight);
        result = await named.answer();
      } else {
        const identified = session.caller ?? (await session.identify(span));
        // The entries of a batch have one caller, and each entry has its own span.
        const caller = identified.span === span ? identified : { ...identified, span };
        if (span.isRecording) describeCaller(span, caller);
        const { key } = caller.paymaster.snapshot;
        if (key !== null) assertKeyCalls(key, named.name);
        if (key !== null) assertKeyMayBundle(key, named);
        const { shape, params } = registered.claim(request['params'] ?? []);
        errors = shape.errors;
        assertNotSuspended(caller.paymaster.snapshot);
        const { method: claimed } = shape;
        parsed = claimed.parse(params, caller);
        meter = registered.meter(parsed.mode);
        result = await claimed.answer(parsed, this.operations);
        answered = claimed.answeredWith?.(parsed, result) ?? 'answered';
      }
      const text = result instanceof JsonText ? result.text : JSON.stringify(result);
      meter.succeeded(answered, startedMs);
      if (answered === 'granted' || answered === 'userPays') {
        this.logAnswer(answered, { value, method, parsed, session, startedMs });
      }
      if (span.isRecording) endAnswered(span, { requestId, outcome: answered });
      return { status: 200, body: `{"jsonrpc":"2.0","id":${id},"result":${text}}` };
    } catch (failure) {
      const isOfMethod = meter !== this.metrics.withoutMethod;
      const error = isOfMethod ? failure : this.orLimited(failure, session.frame.clientAddress);
      const explain = session.caller?.paymaster.snapshot.settings.explainToClients ?? false;
      meter.failed(error, startedMs);
      this.log.failed(error, { requestId, caller: session.caller });
      const answer = answeredRequest({ value, method, parsed, session, startedMs });
      if (answer) this.requestLog.failed(answer, error);
      const payWith = payWithOf(error, { caller: session.caller, path: errors.tokenPath });
      const { isBiconomysAddress = false } = session.frame.credentials;
      const entry = this.failure({ error, id, requestId, errors, explain, payWith, isBiconomysAddress });
      if (span.isRecording) endFailed(span, { requestId, error, status: entry.status });
      return entry;
    }
  }

  /** Of signatures the owner's share; by default that is none, and costs nothing. */
  private logAnswer(answered: 'granted' | 'userPays', entry: AnsweredEntry): void {
    const { paymaster } = entry.session;
    if (!paymaster || (answered === 'granted' && !this.requestLog.draws(paymaster.snapshot))) return;
    const request = answeredRequest(entry);
    if (!request) return;
    if (answered === 'granted') this.requestLog.granted(request);
    else this.requestLog.paidByUser(request);
  }

  /** A client error that counts against no API key counts against the client's address. */
  private orLimited(error: unknown, clientAddress: string | undefined): unknown {
    if (!(error instanceof DomainError) || error instanceof DependencyUnavailableError) return error;
    try {
      this.callers.assertMayAskWithoutKey(clientAddress);
      return error;
    } catch (limited) {
      return limited;
    }
  }

  private failure(failed: {
    error: unknown;
    id: string;
    requestId: string;
    errors: ErrorManner;
    explain: boolean;
    payWith?: object | undefined;
    isBiconomysAddress?: boolean;
  }): Entry {
    const { httpStatus, retryAfterSeconds, error } = toWireError(failed.error, failed);
    return {
      status: httpStatus,
      body: `{"jsonrpc":"2.0","id":${failed.id},"error":${JSON.stringify(error)}}`,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
}

/** An entry with its answer, for the request log. */
interface AnsweredEntry {
  readonly value: unknown;
  readonly method: string | undefined;
  readonly parsed: ParsedRequest | undefined;
  readonly session: Session;
  readonly startedMs: number;
}

/** Undefined where nobody's paymaster, or no method, is known. */
function answeredRequest({ value, method, parsed, session, startedMs }: AnsweredEntry): AnsweredRequest | undefined {
  const { paymaster, caller, frame } = session;
  if (!paymaster || method === undefined) return undefined;
  const { requestId, clientAddress } = frame;
  return {
    ...{ requestId, method, params: (value as { params?: unknown }).params, mode: parsed?.mode ?? 'none' },
    operation: (parsed as Partial<OperationRequest> | undefined)?.operation,
    ...{ snapshot: paymaster.snapshot, caller, clientAddress, startedMs },
  };
}

function describeCaller(span: Span, { paymaster, chain }: Caller): void {
  span.set('paymaster.id', paymaster.snapshot.paymasterId);
  span.set('chain.id', chain.config.chainId);
}

function endAnswered(span: Span, { requestId, outcome }: { requestId: string; outcome: string }): void {
  span.set('request.id', requestId);
  span.set('outcome', outcome);
  span.end();
}

function endFailed(span: Span, failed: { requestId: string; error: unknown; status: number }): void {
  span.failed(failed.error);
  endAnswered(span, { requestId: failed.requestId, outcome: failed.status >= 500 ? 'failed' : 'refused' });
}

/** The facts about the paymaster that go into the answer's headers. */
function toldOf(paymaster: LoadedPolicy | undefined): Pick<HttpAnswer, 'allowedOrigins' | 'signsWhenSent'> {
  const isTold = paymaster !== undefined && signsWhenSent(paymaster.snapshot);
  return { allowedOrigins: originsOf(paymaster), ...(isTold && { signsWhenSent: true }) };
}

/** The origins whose pages may read the answer; every origin while the paymaster is not known. */
function originsOf(paymaster: LoadedPolicy | undefined): readonly string[] {
  if (!paymaster) return ['*'];
  const { settings, key } = paymaster.snapshot;
  return originsOfKey(settings.allowedOrigins, key);
}

/** The params `[userOp, entryPoint, context]`, which Etherspot's prime-sdk sends to its paymaster without a method. */
function methodLeftOut(params: unknown): string | undefined {
  const isEtherspots = Array.isArray(params) && typeof params[0] === 'object' && typeof params[1] === 'string';
  return isEtherspots ? 'pm_sponsorUserOperation' : undefined;
}

/** The text from which the digits of an id are read. */
interface RawId {
  /** The body, if it contains only this request. */
  readonly text?: string;
  readonly read: () => string | undefined;
}

/**
 * The id as JSON text, with its type and digits.
 *
 * @throws {InvalidRequestError} when there is no id: a notification has no answer, so its signature would reach no
 *   client
 */
function idOf(id: unknown, { text, read }: RawId): string {
  if (id === null || typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number' || !Number.isFinite(id)) {
    throw new InvalidRequestError('id must be a string, a number or null, and must be there.');
  }
  // Most ids print as they are in the text. For others (1.0, 1e2, 2^53 + 1) the text is searched.
  return text !== undefined && standsAsPrinted(String(id), text) ? String(id) : (read() ?? 'null');
}

function standsAsPrinted(id: string, text: string): boolean {
  const member = `"id":${id}`;
  const start = text.indexOf(member);
  return start !== -1 && ',} \t\r\n'.includes(text[start + member.length] ?? '.');
}
