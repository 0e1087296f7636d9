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

/** The server drops a repeated event within this time. Consumers drop later repetitions themselves. */
const DUPLICATE_WINDOW_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MESSAGE_ID = 'Nats-Msg-Id';
const PUBLISH_TIMEOUT_MS = 5_000;

/** Settings of a stream. Undefined means that the setting must not be set. */
type Wanted = { readonly [Name in keyof StreamConfig]?: StreamConfig[Name] | undefined };

/**
 * The fixed settings of the stream: it records only what settlement publishes, and copies nothing elsewhere. A full
 * stream refuses new messages and does not drop old messages. A refused event waits in Postgres, and a metric shows it.
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

/** The NATS user that makes and changes the stream. Settlement's user may do neither. */
const MAKER = 'the command stream.js of settlement makes it (docs/operations/runbooks/outbox-growing.md)';

/** There is no stream to publish into. Publishing goes on once the stream is made. */
export class StreamMissingError extends Error {
  constructor() {
    super(`there is no stream ${SPONSORSHIP_STREAM}; ${MAKER}`);
    this.name = 'StreamMissingError';
  }
}

/** The stream has other fixed settings than ours, so events could be lost or copied there. */
export class StreamShapeError extends Error {
  constructor(settings: readonly string[]) {
    super(`the stream ${SPONSORSHIP_STREAM} has another ${settings.join(', ')} than it must have; ${MAKER}`);
    this.name = 'StreamShapeError';
  }
}

/**
 * Each app has its own inbox prefix, as in SponsorshipConsumer, so that a NATS user can receive the answers of only one
 * app.
 */
export function streamConnectionOptions(settings: NatsSettings, name: string) {
  return { ...natsConnectionOptions(settings, name), inboxPrefix: `_INBOX_${settings.natsUser ?? name}` };
}

/** The stream SPONSORSHIP on the server. Every method throws while the server is away. */
export class EventStream {
  constructor(
    private readonly connection: NatsConnection,
    private readonly settings: EventStreamSettings,
  ) {}

  /**
   * Makes the stream, or changes an existing stream to the fixed settings and the configured limits. Safe to repeat.
   * Needs the rights of the user `stream-maker`.
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
   * Checks that settlement may publish into the stream.
   *
   * @returns the limits that differ from the configured limits. The stream works with them, but the operator should
   *   know
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
   * Resolves once the stream has the event. The message id is the event's id. If the server drops the message as a
   * repetition of a message that is lost, the event is sent under another message id: consumers know the event by its
   * own id.
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

  /** Whether the stream still has the message at its sequence number. */
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
   * The sequence number up to which all durable consumers have acknowledged everything: the lowest of their ack floors.
   * 0 when there is no durable consumer, or when not all `consumers` of the stream answered.
   */
  async consumedUpTo({ consumers }: Pick<StreamFill, 'consumers'>): Promise<number> {
    const manager = await this.manager();
    const all: ConsumerInfo[] = [];
    for await (const consumer of manager.consumers.list(SPONSORSHIP_STREAM)) all.push(consumer);
    const floors = all.filter(({ config }) => config.durable_name).map(({ ack_floor }) => ack_floor.stream_seq);
    return all.length === consumers && floors.length > 0 ? Math.min(...floors) : 0;
  }

  /** Deletes all messages before that sequence number. */
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

  /** Its rights end at this stream, so it may not ask the server for general information. */
  private manager(): Promise<JetStreamManager> {
    return this.connection.jetstreamManager({ checkAPI: false });
  }
}

/** The names of the settings that differ. The server leaves out settings that are not set. */
function differing(config: StreamConfig, wanted: Wanted): string[] {
  const names = Object.keys(wanted) as Array<keyof StreamConfig>;
  return names.filter((name) => !isDeepStrictEqual(config[name] ?? undefined, wanted[name]));
}

function eventIdOf({ header }: StoredMsg): string {
  return header.get(MESSAGE_ID).split('/', 1)[0] ?? '';
}

/** The error's message may be a bare number. JetStream's own description stands beside it. */
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
