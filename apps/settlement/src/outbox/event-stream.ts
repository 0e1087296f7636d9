import { SPONSORSHIP_STREAM, sponsorshipSubject, type SponsorshipEvent } from '@paymaster/messaging';
import {
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type ConsumerInfo,
  type JetStreamManager,
  type NatsConnection,
  type StoredMsg,
} from 'nats';

export interface EventStreamSettings {
  /** How long an event is kept in the stream. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  readonly replicas: number;
}

/** A message that the stream acknowledged. */
export interface StreamPlace {
  readonly eventId: string;
  readonly sequence: number;
}

/** How full the stream is, and where its messages begin and end. */
export interface StreamFill {
  readonly bytes: number;
  readonly maxBytes: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly consumers: number;
}

/** An event that comes a second time within this is dropped by the server; for later ones there are the consumers. */
const DUPLICATE_WINDOW_MS = 3_600_000;
const MESSAGE_ID = 'Nats-Msg-Id';
const PUBLISH_TIMEOUT_MS = 5_000;

/** Stream SPONSORSHIP on the server. Everything here throws while the server is away. */
export class EventStream {
  constructor(
    private readonly connection: NatsConnection,
    private readonly settings: EventStreamSettings,
  ) {}

  async exists(): Promise<boolean> {
    const manager = await this.manager();
    return found(manager.streams.info(SPONSORSHIP_STREAM)).then((info) => info !== undefined);
  }

  async create(): Promise<void> {
    const manager = await this.manager();
    await manager.streams.add({
      name: SPONSORSHIP_STREAM,
      description: 'What happened to sponsored operations; filled from the outbox of the ledger',
      subjects: ['sponsorship.>'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      // A full stream refuses instead of forgetting: what is refused waits in Postgres, and a metric says so.
      discard: DiscardPolicy.New,
      ...this.limits(),
    });
  }

  /** Gives a stream that is there the limits of today's settings. */
  async adjust(): Promise<void> {
    const manager = await this.manager();
    await manager.streams.update(SPONSORSHIP_STREAM, this.limits());
  }

  /**
   * Resolves once the stream has the event. Its message id is the event's. Only where the server drops it as a
   * repetition of a message that is lost, it goes under another one: consumers know the event by its own id.
   */
  async publish(event: SponsorshipEvent): Promise<StreamPlace> {
    const { kind, paymasterId, eventId } = event;
    const body = JSON.stringify(event);
    for (let msgID = eventId; ;) {
      const { seq, duplicate } = await this.connection
        .jetstream()
        .publish(sponsorshipSubject(kind, paymasterId), body, {
          msgID,
          expect: { streamName: SPONSORSHIP_STREAM },
          timeout: PUBLISH_TIMEOUT_MS,
        });
      const place = { eventId, sequence: seq };
      if (!duplicate || (await this.holds(place))) return place;
      msgID = `${eventId}/${seq}`;
    }
  }

  /** Whether the stream still has that message at its place. */
  async holds({ eventId, sequence }: StreamPlace): Promise<boolean> {
    const manager = await this.manager();
    const message = await found(manager.streams.getMessage(SPONSORSHIP_STREAM, { seq: sequence }));
    return message !== undefined && eventIdOf(message) === eventId;
  }

  /** The newest message of a subject. */
  async lastOf({
    kind,
    paymasterId,
  }: Pick<SponsorshipEvent, 'kind' | 'paymasterId'>): Promise<StreamPlace | undefined> {
    const manager = await this.manager();
    const last_by_subj = sponsorshipSubject(kind, paymasterId);
    const message = await found(manager.streams.getMessage(SPONSORSHIP_STREAM, { last_by_subj }));
    return message && { eventId: eventIdOf(message), sequence: message.seq };
  }

  async fill(): Promise<StreamFill> {
    const manager = await this.manager();
    const { config, state } = await manager.streams.info(SPONSORSHIP_STREAM);
    return {
      bytes: state.bytes,
      maxBytes: config.max_bytes,
      firstSequence: state.first_seq,
      lastSequence: state.last_seq,
      consumers: state.consumer_count,
    };
  }

  /**
   * The place up to which every durable consumer is done with everything: the lowest of their ack floors. 0, nothing,
   * when there is none, or when not all the `consumers` of the stream's fill answered.
   */
  async consumedUpTo({ consumers }: Pick<StreamFill, 'consumers'>): Promise<number> {
    const manager = await this.manager();
    const all: ConsumerInfo[] = [];
    for await (const consumer of manager.consumers.list(SPONSORSHIP_STREAM)) all.push(consumer);
    const floors = all.filter(({ config }) => config.durable_name).map(({ ack_floor }) => ack_floor.stream_seq);
    return all.length === consumers && floors.length > 0 ? Math.min(...floors) : 0;
  }

  /** Forgets every message before that place; that one stays. */
  async forgetBefore(sequence: number): Promise<void> {
    const manager = await this.manager();
    await manager.streams.purge(SPONSORSHIP_STREAM, { seq: sequence });
  }

  private limits() {
    const { maxAgeMs, maxBytes, replicas } = this.settings;
    return {
      max_age: nanos(maxAgeMs),
      max_bytes: maxBytes,
      num_replicas: replicas,
      duplicate_window: nanos(Math.min(DUPLICATE_WINDOW_MS, maxAgeMs)),
    };
  }

  /** Its rights end at this stream, so the server is not asked what it can do in general. */
  private manager(): Promise<JetStreamManager> {
    return this.connection.jetstreamManager({ checkAPI: false });
  }
}

function eventIdOf({ header }: StoredMsg): string {
  return header.get(MESSAGE_ID).split('/', 1)[0] ?? '';
}

async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
    throw error;
  }
}
