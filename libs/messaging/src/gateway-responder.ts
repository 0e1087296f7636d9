import type { Msg, NatsConnection, Subscription } from 'nats';
import {
  GATEWAY_QUEUE,
  GATEWAY_SUBJECTS,
  MAX_GATEWAY_QUESTION_BYTES,
  MAX_GATEWAY_QUESTION_MS,
  type GatewayAnswers,
  type GatewayEnvelope,
  type GatewayQuestionKind,
  type GatewayQuestions,
  type GatewayReply,
} from './gateway-messages';
import type { MessageAuthenticator, SignedText } from './message-authenticator';
import { connectPatiently } from './nats-client';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';

/**
 * How many questions may wait while another is answered. The answer to further questions is that the gateway is busy.
 */
const MOST_WAITING = 8;
/** A question further in the past or the future is a replay, or comes from a wrong clock; milliseconds. */
const MAX_AGE_MS = 300_000;

/** What a handler knows of its question. */
export interface AskedFor {
  readonly requestId: string;
  /** When the dashboard gives up; milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
}

/** Answers each kind of question. What it throws is turned into a reply by `onError`. */
export type GatewayHandlers = {
  readonly [Kind in GatewayQuestionKind]: (
    question: GatewayQuestions[Kind],
    asked: AskedFor,
  ) => Promise<GatewayAnswers[Kind]>;
};

export interface GatewayResponderOptions {
  readonly nats: NatsSettings;
  /** Name of the process in the server's connection list. */
  readonly name: string;
  readonly authenticator: MessageAuthenticator;
  readonly handlers: GatewayHandlers;
  /** The reply where a handler throws. */
  readonly onError: (error: unknown, asked: AskedFor) => GatewayReply;
}

interface Waiting {
  readonly asked: AskedFor;
  readonly run: () => Promise<void>;
}

/**
 * The gateway's side of {@link GATEWAY_SUBJECTS}. It answers one question at a time, so that questions never crowd out
 * clients' requests. It drops questions for which the dashboard no longer waits.
 */
export class GatewayResponder {
  private readonly closing = new AbortController();
  private readonly waiting: Waiting[] = [];
  private connection: NatsConnection | undefined;
  private subscriptions: readonly Subscription[] = [];
  private running: Promise<void> | undefined;

  constructor(private readonly options: GatewayResponderOptions) {}

  /** Starts to connect and, once connected, to answer. Returns at once. */
  start(): void {
    const { nats, name } = this.options;
    connectPatiently(natsConnectionOptions(nats, name), this.closing.signal).then(
      (connection) => this.listen(connection),
      () => undefined, // Only a closed responder gives up connecting.
    );
  }

  /** Takes no more questions, and answers those that were taken. */
  async close(): Promise<void> {
    this.closing.abort();
    if (!this.connection || this.connection.isClosed()) return;
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    await this.running;
    await this.connection.close();
  }

  private listen(connection: NatsConnection): void {
    this.connection = connection;
    this.subscriptions = (Object.keys(GATEWAY_SUBJECTS) as GatewayQuestionKind[]).map((kind) =>
      connection.subscribe(GATEWAY_SUBJECTS[kind], {
        queue: GATEWAY_QUEUE,
        callback: (error, message) => !error && this.hear(kind, message),
      }),
    );
  }

  private hear(kind: GatewayQuestionKind, message: Msg): void {
    const opened = this.open(kind, message);
    if (!opened) return;
    const { signed, envelope } = opened;
    const { requestId, timeLeftMs, question } = envelope;
    const asked = { requestId, deadlineMs: performance.now() + Math.min(timeLeftMs, MAX_GATEWAY_QUESTION_MS) };
    const respond = (reply: GatewayReply): void => {
      const { authenticator } = this.options;
      try {
        message.respond(JSON.stringify(authenticator.signAnswer(signed, JSON.stringify(reply))));
      } catch {
        message.respond(JSON.stringify(authenticator.signAnswer(signed, JSON.stringify(TOO_LARGE))));
      }
    };
    if (this.waiting.length >= MOST_WAITING) return respond({ failed: 'the gateway is busy' });
    const answer = this.options.handlers[kind] as (question: unknown, asked: AskedFor) => Promise<never>;
    const run = async (): Promise<void> => {
      try {
        respond({ answer: await answer(question, asked) });
      } catch (error) {
        respond(this.options.onError(error, asked));
      }
    };
    this.waiting.push({ asked, run });
    this.running ??= this.work();
  }

  private open(kind: GatewayQuestionKind, message: Msg): { signed: SignedText; envelope: GatewayEnvelope } | undefined {
    if (message.data.length > MAX_GATEWAY_QUESTION_BYTES) return undefined;
    try {
      const signed = message.json<SignedText>();
      const body = this.options.authenticator.openQuestion(GATEWAY_SUBJECTS[kind], signed);
      if (body === undefined) return undefined;
      const envelope = JSON.parse(body) as GatewayEnvelope;
      return Math.abs(Date.now() - envelope.sentAtMs) > MAX_AGE_MS ? undefined : { signed, envelope };
    } catch {
      return undefined;
    }
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      if (performance.now() < next.asked.deadlineMs) await next.run().catch(() => undefined);
    }
    this.running = undefined;
  }
}

const TOO_LARGE: GatewayReply = { failed: 'the answer is too large' };
