import { DependencyUnavailableError } from '@paymaster/domain';
import { createInbox, type Msg, type NatsConnection } from 'nats';
import {
  DASHBOARD_INBOX,
  GATEWAY_SUBJECTS,
  MAX_GATEWAY_QUESTION_BYTES,
  type GatewayAnswers,
  type GatewayEnvelope,
  type GatewayQuestionKind,
  type GatewayQuestions,
  type GatewayReply,
} from './gateway-messages';
import type { MessageAuthenticator } from './message-authenticator';
import { connectPatiently } from './nats-client';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';

/** If no answer comes within this time, the question has failed; milliseconds. */
const TIMEOUT_MS = 5_000;
/** Questions under way at once; more would only wait for gateways that answer a few at a time. */
const MOST_AT_ONCE = 32;

export interface GatewayClientOptions {
  readonly nats: NatsSettings;
  /** Name of the process in the server's connection list. */
  readonly name: string;
  readonly authenticator: MessageAuthenticator;
  readonly timeoutMs?: number;
}

/** A gateway says that the question is wrong; the message says why. */
export class GatewayRefusedError extends Error {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** The dashboard's side of {@link GATEWAY_SUBJECTS}. Connects in the background and never gives up. */
export class GatewayClient {
  private readonly closing = new AbortController();
  private connection: NatsConnection | undefined;
  private underWay = 0;

  constructor(private readonly options: GatewayClientOptions) {}

  /** Starts to connect. Returns at once. */
  start(): void {
    const { nats, name } = this.options;
    connectPatiently(natsConnectionOptions(nats, name), this.closing.signal).then(
      (connection) => (this.connection = connection),
      () => undefined, // Only a closed client gives up connecting.
    );
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connection?.close();
  }

  /**
   * Asks one gateway. A reply without a gateway's HMAC is dropped.
   *
   * @param requestId for logs, and new for every question
   * @throws {GatewayRefusedError} when the question is wrong
   * @throws {DependencyUnavailableError} `gateway`, when no gateway answers in time, or it cannot answer now
   */
  async ask<Kind extends GatewayQuestionKind>(
    kind: Kind,
    question: GatewayQuestions[Kind],
    requestId: string,
  ): Promise<GatewayAnswers[Kind]> {
    if (!this.connection) throw unavailable('not connected to NATS');
    if (this.underWay >= MOST_AT_ONCE) throw unavailable('too many questions are under way');
    this.underWay += 1;
    try {
      const reply = await this.replyTo(this.connection, { kind, question, requestId });
      if ('refused' in reply) throw new GatewayRefusedError(reply.refused.reason, reply.refused.message);
      if ('failed' in reply) throw unavailable(reply.failed);
      return reply.answer;
    } finally {
      this.underWay -= 1;
    }
  }

  private replyTo<Kind extends GatewayQuestionKind>(
    connection: NatsConnection,
    { kind, question, requestId }: { kind: Kind; question: GatewayQuestions[Kind]; requestId: string },
  ): Promise<GatewayReply<Kind>> {
    const { authenticator, timeoutMs = TIMEOUT_MS } = this.options;
    const subject = GATEWAY_SUBJECTS[kind];
    const envelope: GatewayEnvelope<Kind> = { requestId, sentAtMs: Date.now(), timeLeftMs: timeoutMs, question };
    const signed = authenticator.signQuestion(subject, JSON.stringify(envelope));
    const data = JSON.stringify(signed);
    if (Buffer.byteLength(data) > MAX_GATEWAY_QUESTION_BYTES) {
      throw new GatewayRefusedError('QUESTION_TOO_LARGE', 'what is asked is too large for a gateway');
    }
    const reply = createInbox(DASHBOARD_INBOX);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        subscription.unsubscribe();
        settle();
      };
      const timer = setTimeout(() => end(() => reject(unavailable('no answer in time'))), timeoutMs);
      const subscription = connection.subscribe(reply, {
        callback: (error, message) => {
          if (error) return end(() => reject(unavailable(error.message)));
          if (isNoResponders(message)) return end(() => reject(unavailable('no gateway listens')));
          const body = authenticator.openAnswer(signed, jsonOf(message));
          if (body !== undefined) end(() => resolve(JSON.parse(body) as GatewayReply<Kind>));
        },
      });
      try {
        connection.publish(subject, data, { reply });
      } catch (error) {
        end(() => reject(unavailable((error as Error).message)));
      }
    });
  }
}

/** The NATS server's answer when there is no subscriber: no bytes, status 503. */
function isNoResponders({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === 503;
}

function jsonOf(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}

function unavailable(problem: string): DependencyUnavailableError {
  return new DependencyUnavailableError('gateway', 'No gateway answers at the moment', { cause: new Error(problem) });
}
