import type { Msg, NatsConnection, Subscription } from 'nats';
import type { SignedText } from './message-authenticator';
import { connectPatiently } from './nats-client';
import { natsConnectionOptions } from './nats-connection';
import { DASHBOARD_QUEUE } from './policy-messages';
import {
  isRequestLogBatch,
  MAX_REQUEST_LOG_BYTES,
  REQUEST_LOG_SUBJECT,
  type RequestLogBatch,
  type RequestLogReply,
} from './request-log-messages';
import type { RequestLogOptions } from './request-log-sender';

/** Batches that wait while another is written. A gateway whose batch is not taken sends it again. */
const MOST_WAITING = 16;
/** A batch further in the past or the future is a replay, or comes from a wrong clock; milliseconds. */
const MAX_AGE_MS = 300_000;

export interface RequestLogReceiverOptions extends RequestLogOptions {
  /** Writes a batch. @returns 'unreadable' for what can never be written @throws when it may be tried again */
  readonly write: (batch: RequestLogBatch) => Promise<RequestLogReply>;
}

/** The dashboard's side of {@link REQUEST_LOG_SUBJECT}: writes one batch at a time. Connects in the background. */
export class RequestLogReceiver {
  private readonly closing = new AbortController();
  private connection: NatsConnection | undefined;
  private subscription: Subscription | undefined;
  private waiting = 0;
  private line: Promise<void> = Promise.resolve();

  constructor(private readonly options: RequestLogReceiverOptions) {}

  /** Starts to connect and, once connected, to write. Returns at once. */
  start(): void {
    const { nats, name } = this.options;
    connectPatiently(natsConnectionOptions(nats, name), this.closing.signal).then(
      (connection) => {
        this.connection = connection;
        this.subscription = connection.subscribe(REQUEST_LOG_SUBJECT, {
          queue: DASHBOARD_QUEUE,
          callback: (error, message) => !error && this.hear(message),
        });
      },
      () => undefined, // Only a closed receiver gives up connecting.
    );
  }

  /** Takes no more batches, and writes those that were taken. */
  async close(): Promise<void> {
    this.closing.abort();
    this.subscription?.unsubscribe();
    await this.line;
    await this.connection?.close();
  }

  private hear(message: Msg): void {
    if (this.waiting >= MOST_WAITING || message.data.length > MAX_REQUEST_LOG_BYTES) return;
    this.waiting += 1;
    this.line = this.line
      .then(() => this.answer(message))
      .catch(() => undefined)
      .finally(() => (this.waiting -= 1));
  }

  /** No answer to what no gateway sent, and to what may be tried again. */
  private async answer(message: Msg): Promise<void> {
    const { authenticator, write } = this.options;
    const signed = message.json<SignedText>();
    const body = authenticator.openQuestion(REQUEST_LOG_SUBJECT, signed);
    if (body === undefined) return;
    const batch: unknown = JSON.parse(body);
    const isRead = isRequestLogBatch(batch);
    if (isRead && Math.abs(Date.now() - batch.sentAtMs) > MAX_AGE_MS) return;
    const reply = isRead ? await write(batch) : 'unreadable';
    message.respond(JSON.stringify(authenticator.signAnswer(signed, reply)));
  }
}
