import { setTimeout as sleep } from 'node:timers/promises';
import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  NatsError,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
} from 'nats';
import { connectPatiently } from './nats-client';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';
import { parseSponsorshipEvent } from './sponsorship-event-shape';
import { SPONSORSHIP_STREAM, type SponsorshipEvent } from './sponsorship-events';

/** A message that was given up. Store it where a person finds it, because it is not delivered again. */
export interface PoisonMessage {
  /** The event's id, or null where the message has no id. */
  readonly eventId: string | null;
  readonly subject: string;
  /** The message as it was sent. */
  readonly body: string;
  readonly deliveries: number;
  /** What was wrong with it, or the handler's last error. */
  readonly problem: string;
}

export interface SponsorshipConsumerOptions {
  readonly nats: NatsSettings;
  /**
   * The consumer's name on the server, which keeps its place in the stream; processes with one name share the messages.
   */
  readonly durable: string;
  /**
   * Called for one event at a time. An event may come twice, late, or again from the start when the stream was rebuilt,
   * so record its `eventId` in the transaction of its effects. When it throws, the event comes again later.
   */
  readonly handle: (event: SponsorshipEvent) => Promise<void>;
  /** Called before a message is given up. While it throws, the message stays. */
  readonly onPoison: (message: PoisonMessage) => Promise<void>;
  /** Called when the broker is away or a handler failed. Log it. */
  readonly onProblem?: (problem: Error) => void;
  /** Deliveries of one message before it is poison; default 5. */
  readonly maxDeliveries?: number;
  /** A handler that takes longer counts as dead, and another process gets the event; default 30 s. */
  readonly ackWaitMs?: number;
  /** Pause before the second delivery, doubled with each one up to a minute; default 1 s. */
  readonly retryMs?: number;
  /** How long the server may keep a request open without messages; default 2 s. */
  readonly fetchMs?: number;
}

/** Messages fetched from the server at a time. */
const BATCH = 32;
const MAX_RETRY_MS = 60_000;
/** How long to pause after the broker or the stream did not answer. */
const OUTAGE_PAUSE_MS = 500;
/**
 * How long {@link SponsorshipConsumer.stop} waits for a running handler. A handler that takes longer continues, but its
 * event is not acknowledged. Milliseconds.
 */
const STOP_DEADLINE_MS = 5_000;

/**
 * Reads stream `SPONSORSHIP` from its start, each event at least once. It never gives up, so it recovers from a broker
 * that is down, from a stream that is not there yet, and from a stream that was lost and rebuilt.
 *
 * @example
 * const consumer = new SponsorshipConsumer({ nats: config, durable: 'dashboard-usage', handle, onPoison });
 * consumer.start();
 * await consumer.stop();
 */
export class SponsorshipConsumer {
  private readonly stopping = new AbortController();
  private connection: NatsConnection | undefined;
  private batch: ConsumerMessages | undefined;
  private running: Promise<void> | undefined;
  private reading = false;
  private unread = 0;

  constructor(private readonly options: SponsorshipConsumerOptions) {}

  /** Whether the stream answered when it was last asked. */
  get connected(): boolean {
    return this.reading;
  }

  /** Events that wait in the stream for the processes of this name, at the last request; undefined while it is away. */
  get pending(): number | undefined {
    return this.reading ? this.unread : undefined;
  }

  /** Returns at once. */
  start(): void {
    this.running ??= this.run();
  }

  /** Lets a running handler finish. */
  async stop(): Promise<void> {
    this.stopping.abort();
    // Not awaited: it ends only if the whole batch was read.
    void this.batch?.close();
    await Promise.race([this.running, sleep(STOP_DEADLINE_MS, undefined, { ref: false })]);
    await this.connection?.close();
  }

  private async run(): Promise<void> {
    const { nats, durable } = this.options;
    // Each app has its own inbox prefix, so that a NATS user can receive the answers of only one app.
    const inboxPrefix = `_INBOX_${nats.natsUser ?? durable}`;
    const options = { ...natsConnectionOptions(nats, durable), inboxPrefix };
    // Rejects only when this consumer is stopped before there is a broker.
    const connection = await connectPatiently(options, this.stopping.signal).catch(() => undefined);
    if (!connection) return;
    this.connection = connection;
    while (!this.stopped) {
      try {
        await this.readBatch(connection);
        this.reading = true;
      } catch (error) {
        this.reading = false;
        await this.pause(error, OUTAGE_PAUSE_MS);
      }
    }
  }

  private async readBatch(connection: NatsConnection): Promise<void> {
    const consumer = await this.open(connection);
    if (this.stopped) return;
    const { fetchMs = 2_000 } = this.options;
    this.batch = await consumer.fetch({ max_messages: BATCH, expires: fetchMs });
    for await (const message of this.batch) {
      if (this.stopped) return;
      await this.take(message);
    }
  }

  /** Looked up before every batch, because a rebuilt stream has forgotten its consumers. */
  private async open(connection: NatsConnection) {
    const { durable, ackWaitMs = 30_000 } = this.options;
    const manager = await connection.jetstreamManager({ checkAPI: false });
    const known = await manager.consumers.info(SPONSORSHIP_STREAM, durable).catch((error: unknown) => {
      if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
      throw error;
    });
    this.unread = known?.num_pending ?? 0;
    if (!known) {
      await manager.consumers.add(SPONSORSHIP_STREAM, {
        durable_name: durable,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: nanos(ackWaitMs),
        max_ack_pending: 4 * BATCH,
      });
    }
    return connection.jetstream().consumers.get(SPONSORSHIP_STREAM, durable);
  }

  private async take(message: JsMsg): Promise<void> {
    const { maxDeliveries = 5, retryMs = 1_000 } = this.options;
    // The messages of the batch waited for their turn, so their time starts anew here.
    message.working();
    let event: SponsorshipEvent | undefined;
    try {
      event = parseSponsorshipEvent(message.data);
      await this.options.handle(event);
      message.ack();
    } catch (error) {
      this.options.onProblem?.(asError(error));
      const { deliveryCount } = message.info;
      const isPoison = event === undefined || deliveryCount >= maxDeliveries;
      if (isPoison && (await this.giveUp(message, { event, error }))) message.term();
      else message.nak(Math.min(retryMs * 2 ** (deliveryCount - 1), MAX_RETRY_MS));
    }
  }

  /** @returns whether the message was kept */
  private async giveUp(message: JsMsg, why: { event: SponsorshipEvent | undefined; error: unknown }): Promise<boolean> {
    try {
      await this.options.onPoison({
        eventId: why.event?.eventId ?? null,
        subject: message.subject,
        body: message.string(),
        deliveries: message.info.deliveryCount,
        problem: asError(why.error).message,
      });
      return true;
    } catch (error) {
      this.options.onProblem?.(asError(error));
      return false;
    }
  }

  private async pause(error: unknown, ms: number): Promise<void> {
    if (this.stopped) return;
    this.options.onProblem?.(asError(error));
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
