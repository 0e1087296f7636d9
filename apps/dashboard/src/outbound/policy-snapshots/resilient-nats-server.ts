import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ServerNats, type NatsContext, type NatsOptions } from '@nestjs/microservices';
import { connectPatiently, TIME_LEFT_HEADER } from '@paymaster/messaging';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { QuestionTurns } from './question-turns';

/** What is told to whoever sent what cannot be read, or asked for what cannot be sent. */
const REFUSAL = { err: 'the message cannot be answered', isDisposed: true } as const;

/** A broker that does not answer keeps nobody from ending; milliseconds. */
const LEAVING_MS = 3_000;

/** For how long a question is waited for that does not say it, and at most one that does; milliseconds. */
const TIME_LEFT_MS = { default: 1_000, most: 5_000 };
/** Several times the longest question, with its headers: what waits is kept in memory. */
const MOST_BYTES = 4_096;
/** Of questions that are dropped, a line each so often; milliseconds. */
const DROPPED_LINE_MS = 1_000;

/** A message of nats.js says its size with its headers, but not in its type. */
type SizedMsg = Msg & { size(): number };
type Publisher = (response: object) => unknown;

/**
 * Nest's NATS server, for a subject that anybody on the broker may write to. Nest reads messages and sends replies
 * where nothing catches: one message that is not JSON, or one reply over the server's `max_payload`, would reject
 * unhandled and end the process. Here both are logged and answered with an error. And Nest cannot close what is not
 * connected yet, which would go on trying; here it gives up. What is connected Nest closes with questions on their way
 * to it; here it leaves the queue group first, so that others get them, and answers what it has. And Nest begins with
 * all questions at once; here they take turns before they are even read, and what is not waited for any more is dropped
 * without an answer: whoever still waits asks again, and another process may take that.
 */
export class ResilientNatsServer extends ServerNats {
  private readonly problems = new Logger(ResilientNatsServer.name);
  private readonly closing = new AbortController();
  private readonly answering = new Set<Promise<unknown>>();
  private readonly turns: QuestionTurns;
  private open: NatsConnection | undefined;
  private dropped = 0;

  /** @param atATime questions that are answered at a time */
  constructor(
    private readonly connection: Required<NatsOptions>['options'],
    atATime: number,
  ) {
    super(connection);
    this.turns = new QuestionTurns({ most: atATime, onDropped: () => this.countDropped() });
  }

  override async createNatsClient(): Promise<NatsConnection> {
    return (this.open = await connectPatiently(this.connection, this.closing.signal));
  }

  override async close(): Promise<void> {
    this.closing.abort();
    await Promise.race([this.leave(), sleep(LEAVING_MS, undefined, { ref: false })]);
    await super.close();
  }

  override handleMessage(channel: string, message: Msg): Promise<unknown> {
    if ((message as SizedMsg).size() > MOST_BYTES) return Promise.resolve(this.countDropped());
    const untilMs = performance.now() + timeLeftMs(message);
    const answered = this.turns
      .answer(untilMs, () => this.answer(channel, message))
      .finally(() => this.answering.delete(answered));
    this.answering.add(answered);
    return answered;
  }

  /** Takes no more questions, and answers those that were taken. */
  private async leave(): Promise<void> {
    if (!this.open || this.open.isClosed()) return;
    try {
      // Nest keeps them to itself; unlike its own unsubscribing, this loses nothing that is on its way.
      const subscriptions = this['subscriptions'] as readonly Subscription[];
      await Promise.all(subscriptions.map((subscription) => subscription.drain()));
      await Promise.all(this.answering);
      // Nest sends what was answered a tick later.
      await nextTurn();
      await this.open.flush();
    } catch {
      // A connection that is gone takes no questions either.
    }
  }

  private async answer(channel: string, message: Msg): Promise<unknown> {
    try {
      return (await super.handleMessage(channel, message)) as unknown;
    } catch (error) {
      this.report('a message could not be read', message, error);
      this.refuse(message, undefined);
      return undefined;
    }
  }

  override getPublisher(message: Msg, id: string, context: NatsContext): Publisher {
    const publish = super.getPublisher(message, id, context) as Publisher;
    return (response) => {
      try {
        return publish(response);
      } catch (error) {
        this.report('a reply could not be sent', message, error);
        this.refuse(message, id);
        return undefined;
      }
    };
  }

  private refuse(message: Msg, id: string | undefined): void {
    try {
      message.respond(JSON.stringify({ ...REFUSAL, id }));
    } catch (error) {
      this.report('an error could not be sent', message, error);
    }
  }

  private countDropped(): void {
    if (this.dropped++ > 0) return;
    setTimeout(() => {
      const questions = this.dropped;
      this.dropped = 0;
      this.problems.warn({ questions }, 'questions were dropped: too many at once, not waited for, or too long');
    }, DROPPED_LINE_MS).unref();
  }

  /** Not the message itself: it may be anything, of any size. */
  private report(what: string, { subject, data }: Msg, error: unknown): void {
    const problem = error instanceof Error ? error.message : 'unknown';
    this.problems.error({ subject, bytes: data.length, problem }, what);
  }
}

/** For how long whoever asked still waits. It is a stranger's word: a long time does not keep his question alive. */
function timeLeftMs({ headers }: Msg): number {
  const said = headers?.get(TIME_LEFT_HEADER) ?? '';
  return /^\d{1,6}$/.test(said) ? Math.min(Number(said), TIME_LEFT_MS.most) : TIME_LEFT_MS.default;
}
