import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ServerNats, type NatsContext, type NatsOptions } from '@nestjs/microservices';
import { connectPatiently } from '@paymaster/messaging';
import type { Msg, NatsConnection, Subscription } from 'nats';

/** What is told to whoever sent what cannot be read, or asked for what cannot be sent. */
const REFUSAL = { err: 'the message cannot be answered', isDisposed: true } as const;

/** A broker that does not answer keeps nobody from ending; milliseconds. */
const LEAVING_MS = 3_000;

type Publisher = (response: object) => unknown;

/**
 * Nest's NATS server, for a subject that anybody on the broker may write to. Nest reads messages and sends replies
 * where nothing catches: one message that is not JSON, or one reply over the server's `max_payload`, would reject
 * unhandled and end the process. Here both are logged and answered with an error. And Nest cannot close what is not
 * connected yet, which would go on trying; here it gives up. What is connected Nest closes with questions on their way
 * to it; here it leaves the queue group first, so that others get them, and answers what it has.
 */
export class ResilientNatsServer extends ServerNats {
  private readonly problems = new Logger(ResilientNatsServer.name);
  private readonly closing = new AbortController();
  private readonly answering = new Set<Promise<unknown>>();
  private open: NatsConnection | undefined;

  constructor(private readonly connection: Required<NatsOptions>['options']) {
    super(connection);
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
    const answered = this.answer(channel, message).finally(() => this.answering.delete(answered));
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

  /** Not the message itself: it may be anything, of any size. */
  private report(what: string, { subject, data }: Msg, error: unknown): void {
    const problem = error instanceof Error ? error.message : 'unknown';
    this.problems.error({ subject, bytes: data.length, problem }, what);
  }
}
