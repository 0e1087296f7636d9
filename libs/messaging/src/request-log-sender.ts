import type { NatsConnection } from 'nats';
import type { MessageAuthenticator } from './message-authenticator';
import { connectPatiently } from './nats-client';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';
import { MAX_REQUEST_LOG_BYTES, REQUEST_LOG_SUBJECT, type RequestLogReply } from './request-log-messages';

/** How long a dashboard may take to write a batch; milliseconds. */
const TIMEOUT_MS = 2_000;

export interface RequestLogOptions {
  readonly nats: NatsSettings;
  /** Name of the process in the server's connection list. */
  readonly name: string;
  readonly authenticator: MessageAuthenticator;
}

/** The gateway's side of {@link REQUEST_LOG_SUBJECT}. Connects in the background and never gives up. */
export class RequestLogSender {
  private readonly closing = new AbortController();
  private connection: NatsConnection | undefined;

  constructor(private readonly options: RequestLogOptions) {}

  /** Starts to connect. Returns at once. */
  start(): void {
    const { nats, name } = this.options;
    connectPatiently(natsConnectionOptions(nats, name), this.closing.signal).then(
      (connection) => (this.connection = connection),
      () => undefined, // Only a closed sender gives up connecting.
    );
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connection?.close();
  }

  /**
   * Sends a batch to one dashboard.
   *
   * @param body a `RequestLogBatch` as JSON text
   * @returns what the dashboard says, or 'unreadable' for what is too long for it; undefined when no dashboard has said
   *   anything in time
   */
  async send(body: string): Promise<RequestLogReply | undefined> {
    const { authenticator } = this.options;
    const signed = authenticator.signQuestion(REQUEST_LOG_SUBJECT, body);
    const data = Buffer.from(JSON.stringify(signed));
    if (data.length > MAX_REQUEST_LOG_BYTES) return 'unreadable';
    try {
      const reply = await this.connection?.request(REQUEST_LOG_SUBJECT, data, { timeout: TIMEOUT_MS });
      return reply && (authenticator.openAnswer(signed, reply.json()) as RequestLogReply | undefined);
    } catch {
      return undefined;
    }
  }
}
