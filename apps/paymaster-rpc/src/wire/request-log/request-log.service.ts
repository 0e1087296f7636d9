import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError, type PolicySnapshot, type UserOperation } from '@paymaster/domain';
import {
  indexKeysOf,
  MessageAuthenticator,
  RequestLogSender,
  type LoggedRequest,
  type RequestOutcome,
} from '@paymaster/messaging';
import { clientSite, Metrics, TokenBuckets, type Tally } from '@paymaster/nest-kit';
import type { Caller } from '../../callers/caller';
import { outcomeOf, USER_PAYS, type RequestMode } from '../../metrics/request-meter';
import { PaymasterRpcConfig } from '../../platform/config/paymaster-rpc.config';
import { toWireError } from '../../platform/errors/error-table';
import { isLoggedAtLength, loggedOperation } from './logged-operation';
import { masked } from './masked';

/** Entries of one paymaster that a process keeps: a burst, then six a minute. Signatures count apart from the rest. */
const OF_PAYMASTER = { capacity: 60, perSecond: 0.1 };
/** The share of one client: a quarter, so that a stranger who floods leaves room for what others are refused. */
const OF_CLIENT = { capacity: 15, perSecond: 0.025 };

/** What waits to be sent. A full buffer takes no more: what comes then is left out and counted. */
const MOST_ENTRIES = 1_000;
const MOST_LENGTH = 2_000_000;
/** Characters of one message; it may be twice as long when it is signed, and still fits. */
const BATCH_LENGTH = 120_000;
const SEND_EVERY_MS = 1_000;
/** Paymasters of which is noted how many requests were left out. */
const MOST_NOTED = 1_000;
const MOST_DETAILS = 12;
const DETAIL_LENGTH = 200;

/** A request that was answered, as the JSON-RPC server knows it. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly params: unknown;
  readonly mode: RequestMode;
  /** The operation as its dialect read it. */
  readonly operation: Partial<UserOperation> | undefined;
  readonly snapshot: PolicySnapshot;
  /** Undefined where the key, the page or the network was refused. */
  readonly caller: Caller | undefined;
  readonly clientAddress: string | undefined;
  /** Of `performance.now()`. */
  readonly startedMs: number;
}

interface LoggedError {
  readonly outcome: RequestOutcome;
  readonly code: number | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly details: Readonly<Record<string, string>>;
}

const GRANTED: LoggedError = { outcome: 'granted', code: null, reason: null, message: null, details: {} };
const PAID_BY_USER: LoggedError = {
  outcome: 'refused',
  code: null,
  reason: USER_PAYS,
  message: 'The policy refused the operation, so its user pays; the operation of this request id says why.',
  details: {},
};

/**
 * Tells the dashboard of requests, for owners to look at: all that were refused, and of those that were signed the share
 * that the owner sets. No request waits for it. What is kept is bounded for each paymaster and client, waits in a bounded
 * buffer while NATS or the dashboard is away, and is left out and counted beyond that.
 */
@Injectable()
export class RequestLog implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sender: RequestLogSender;
  private readonly ofPaymasters = new TokenBuckets({ ...OF_PAYMASTER, maxBuckets: 20_000 });
  private readonly ofClients = new TokenBuckets({ ...OF_CLIENT, maxBuckets: 20_000 });
  /** Entries as JSON. */
  private buffer: string[] = [];
  private length = 0;
  /** By paymaster, and whether they are signatures: `<id> true`. */
  private readonly leftOut = new Map<string, number>();
  private readonly fates: Readonly<Record<'sent' | 'over_bound' | 'buffer_full' | 'unreadable', Tally>>;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;

  constructor(config: PaymasterRpcConfig, metrics: Metrics) {
    this.sender = new RequestLogSender({
      ...{ nats: config, name: 'paymaster-rpc requests' },
      authenticator: new MessageAuthenticator(indexKeysOf(config)),
    });
    const entries = metrics.counter({
      name: 'paymaster_request_log_entries_total',
      help: 'Requests for the request log, by what became of them: sent to the dashboard, or left out and why',
      labelNames: ['fate'],
    });
    const tally = (fate: string) => entries.tally({ fate });
    this.fates = {
      ...{ sent: tally('sent'), over_bound: tally('over_bound') },
      ...{ buffer_full: tally('buffer_full'), unreadable: tally('unreadable') },
    };
    const help = 'Bytes of requests that wait to be sent to the request log';
    metrics.gauge({ name: 'paymaster_request_log_buffered_bytes', help }, () => this.length);
  }

  onApplicationBootstrap(): void {
    this.sender.start();
    this.timer = setInterval(() => void this.flush(), SEND_EVERY_MS);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    await this.sender.close();
  }

  /** Whether a signature of this paymaster is drawn for the log. By default none is. */
  draws({ settings }: PolicySnapshot): boolean {
    return settings.requestLogGrantsPercent > 0 && Math.random() * 100 < settings.requestLogGrantsPercent;
  }

  /** Notes a signature that was drawn. */
  granted(request: AnsweredRequest): void {
    this.note(request, true, () => GRANTED);
  }

  /** Notes a request of which the policy wants that its user pays. */
  paidByUser(request: AnsweredRequest): void {
    this.note(request, false, () => PAID_BY_USER);
  }

  /** Notes a request that was answered with this error. */
  failed(request: AnsweredRequest, error: unknown): void {
    this.note(request, false, () => errorOf(error, request.requestId));
  }

  /** Sends what waits, as long as a dashboard takes it. What it does not take waits on. */
  flush(): Promise<void> {
    return (this.sending ??= this.send().finally(() => (this.sending = undefined)));
  }

  private note(request: AnsweredRequest, isGrant: boolean, tell: () => LoggedError): void {
    if (!this.hasRoom(request, isGrant)) return this.leaveOut(request.snapshot.paymasterId, isGrant, 'over_bound');
    if (this.buffer.length >= MOST_ENTRIES || this.length >= MOST_LENGTH) {
      return this.leaveOut(request.snapshot.paymasterId, isGrant, 'buffer_full');
    }
    const text = JSON.stringify(entryOf(request, tell()));
    this.buffer.push(text);
    this.length += text.length;
  }

  /** A client is asked for its share before the paymaster's room is taken, so one that floods takes no more than that. */
  private hasRoom({ snapshot, caller, clientAddress }: AnsweredRequest, isGrant: boolean): boolean {
    const paymaster = `${snapshot.paymasterId} ${isGrant}`;
    const client = caller ? caller.strangerNetwork : clientSite(clientAddress);
    if (client !== undefined && this.ofClients.take(`${paymaster} ${client}`) > 0) return false;
    return this.ofPaymasters.take(paymaster) === 0;
  }

  private leaveOut(paymasterId: string, isGrant: boolean, fate: 'over_bound' | 'buffer_full'): void {
    this.fates[fate].value++;
    const key = `${paymasterId} ${isGrant}`;
    const noted = this.leftOut.get(key);
    if (noted !== undefined || this.leftOut.size < MOST_NOTED) this.leftOut.set(key, (noted ?? 0) + 1);
  }

  private async send(): Promise<void> {
    while (this.buffer.length > 0 || this.leftOut.size > 0) {
      const entries = this.nextEntries();
      const leftOut = [...this.leftOut];
      const reply = await this.sender.send(bodyOf(entries, leftOut));
      if (reply === undefined) return;
      this.fates[reply === 'written' ? 'sent' : 'unreadable'].value += entries.length;
      this.buffer.splice(0, entries.length);
      for (const entry of entries) this.length -= entry.length;
      for (const [key, requests] of leftOut) {
        const since = (this.leftOut.get(key) ?? 0) - requests;
        if (since > 0) this.leftOut.set(key, since);
        else this.leftOut.delete(key);
      }
    }
  }

  private nextEntries(): readonly string[] {
    let [count, length] = [0, 0];
    for (const entry of this.buffer) {
      length += entry.length;
      if (count > 0 && length > BATCH_LENGTH) break;
      count++;
    }
    return this.buffer.slice(0, count);
  }
}

function bodyOf(entries: readonly string[], leftOut: readonly (readonly [key: string, requests: number])[]): string {
  const notKept = leftOut.map(([key, requests]) => {
    const [paymasterId, areGrants] = key.split(' ');
    return { paymasterId, areGrants: areGrants === 'true', requests };
  });
  return `{"sentAtMs":${Date.now()},"entries":[${entries.join(',')}],"leftOut":${JSON.stringify(notKept)}}`;
}

function entryOf(request: AnsweredRequest, told: LoggedError): LoggedRequest {
  const { snapshot, caller, operation, mode, method, startedMs } = request;
  const { userOperation, sender, entryPoint } = loggedOperation(request.params, operation);
  const version = operation?.entryPointVersion;
  const isKept = userOperation !== null && isLoggedAtLength(JSON.stringify(userOperation).length);
  return {
    ...{ id: randomUUID(), paymasterId: snapshot.paymasterId, chainId: snapshot.chainId, atMs: Date.now() },
    ...{ requestId: masked(request.requestId), method, mode, keyId: snapshot.key?.keyId ?? null, sender },
    entryPoint: entryPoint ?? (version && caller?.chain.config.entryPoints[version]?.entryPoint.toLowerCase()) ?? null,
    userOperation: isKept ? userOperation : null,
    ...told,
    durationMs: Math.round((performance.now() - startedMs) * 100) / 100,
  };
}

const textOf = (value: unknown): string =>
  typeof value === 'object'
    ? JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))
    : String(value);

/** The error as its client was told, with the values that only the owner may see. */
function errorOf(thrown: unknown, requestId: string): LoggedError {
  const { error } = toWireError(thrown, { requestId, errors: { decisionStatus: 200 }, explain: false });
  const reason = thrown instanceof DomainError ? thrown.reason : 'INTERNAL_ERROR';
  const details = thrown instanceof DomainError ? Object.entries(thrown.details).slice(0, MOST_DETAILS) : [];
  return {
    ...{ outcome: outcomeOf(error.code), code: error.code, reason: reason.slice(0, 64) },
    message: masked(error.message),
    details: Object.fromEntries(details.map(([name, value]) => [masked(name), masked(textOf(value), DETAIL_LENGTH)])),
  };
}
