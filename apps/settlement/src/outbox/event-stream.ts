import { isDeepStrictEqual } from 'node:util';
import {
  natsConnectionOptions,
  SPONSORSHIP_STREAM,
  sponsorshipSubject,
  type NatsSettings,
  type SponsorshipEvent,
} from '@paymaster/messaging';
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
  type StreamConfig,
} from 'nats';
import type { StreamConfig as StreamVariables } from '../config/stream.config';

export interface EventStreamSettings {
  /** How long an event is kept in the stream. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  readonly replicas: number;
}

export function streamSettings(
  config: Pick<StreamVariables, 'outboxRetentionDays' | 'streamMaxBytes' | 'streamReplicas'>,
): EventStreamSettings {
  const { outboxRetentionDays, streamMaxBytes, streamReplicas } = config;
  return { maxAgeMs: outboxRetentionDays * DAY_MS, maxBytes: streamMaxBytes, replicas: streamReplicas };
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
const DAY_MS = 86_400_000;
const MESSAGE_ID = 'Nats-Msg-Id';
const PUBLISH_TIMEOUT_MS = 5_000;

/** Settings of a stream; undefined is what must not be set. */
type Wanted = { readonly [Name in keyof StreamConfig]?: StreamConfig[Name] | undefined };

/**
 * What the stream is, whatever the settings say: what it records is what settlement publishes, and it hands nothing on.
 * A full stream refuses instead of forgetting: what is refused waits in Postgres, and a metric says so.
 */
const SHAPE: Wanted = {
  subjects: ['sponsorship.>'],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.New,
  mirror: undefined,
  sources: undefined,
  republish: undefined,
};

/** Who makes and changes the stream; settlement's user may do neither. */
const MAKER = 'the command stream.js of settlement makes it (docs/operations/runbooks/outbox-growing.md)';

/** There is no stream to publish into. It goes on by itself once the stream is made. */
export class StreamMissingError extends Error {
  constructor() {
    super(`there is no stream ${SPONSORSHIP_STREAM}; ${MAKER}`);
    this.name = 'StreamMissingError';
  }
}

/** Somebody made the stream otherwise: what is published there may be forgotten or copied. */
export class StreamShapeError extends Error {
  constructor(settings: readonly string[]) {
    super(`the stream ${SPONSORSHIP_STREAM} has another ${settings.join(', ')} than it must have; ${MAKER}`);
    this.name = 'StreamShapeError';
  }
}

/** As in SponsorshipConsumer, an inbox of its own: who may hear one app's answers does not hear the others'. */
export function streamConnectionOptions(settings: NatsSettings, name: string) {
  return { ...natsConnectionOptions(settings, name), inboxPrefix: `_INBOX_${settings.natsUser ?? name}` };
}

/** Stream SPONSORSHIP on the server. Everything here throws while the server is away. */
export class EventStream {
  constructor(
    private readonly connection: NatsConnection,
    private readonly settings: EventStreamSettings,
  ) {}

  /**
   * Makes the stream, or gives one that is there its shape and the limits of today's settings. Safe to repeat. Takes the
   * rights of the user `stream-maker`.
   *
   * @returns the settings that were changed, or undefined when the stream was made
   */
  async make(): Promise<readonly string[] | undefined> {
    const manager = await this.manager();
    const config = await this.config();
    const wanted = { ...SHAPE, ...this.limits() } as Partial<StreamConfig>;
    if (!config) {
      const description = 'What happened to sponsored operations; filled from the outbox of the ledger';
      await manager.streams.add({ ...wanted, name: SPONSORSHIP_STREAM, description });
      return undefined;
    }
    const changed = differing(config, wanted);
    if (changed.length > 0) await manager.streams.update(SPONSORSHIP_STREAM, wanted);
    return changed;
  }

  /**
   * Looks whether the stream may be published into.
   *
   * @returns the limits that are others than today's settings say; what is there works, and somebody may have to know
   * @throws {StreamMissingError}
   * @throws {StreamShapeError}
   */
  async check(): Promise<readonly string[]> {
    const config = await this.config();
    if (!config) throw new StreamMissingError();
    const misshapen = differing(config, SHAPE);
    if (misshapen.length > 0) throw new StreamShapeError(misshapen);
    return differing(config, this.limits());
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

  private async config(): Promise<StreamConfig | undefined> {
    const manager = await this.manager();
    return (await found(manager.streams.info(SPONSORSHIP_STREAM)))?.config;
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

/** Names of what is not as wanted. The server leaves out what is not set. */
function differing(config: StreamConfig, wanted: Wanted): string[] {
  const names = Object.keys(wanted) as Array<keyof StreamConfig>;
  return names.filter((name) => !isDeepStrictEqual(config[name] ?? undefined, wanted[name]));
}

function eventIdOf({ header }: StoredMsg): string {
  return header.get(MESSAGE_ID).split('/', 1)[0] ?? '';
}

/** JetStream's own words are beside the message, which may be a bare number. */
export function problemOf(error: unknown): string {
  if (error instanceof NatsError && error.api_error) return error.api_error.description;
  return error instanceof Error ? error.message : String(error);
}

async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
    throw error;
  }
}
