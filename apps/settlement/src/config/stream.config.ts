import {
  EnvInteger,
  NatsCaFileVariable,
  NatsPasswordVariable,
  NatsUrlVariable,
  NatsUserVariable,
} from '@paymaster/nest-kit';

export const OutboxRetentionDaysVariable = (): PropertyDecorator =>
  EnvInteger(
    'OUTBOX_RETENTION_DAYS',
    'How long published events are kept, in Postgres to fill a lost stream again, and in it.',
    { from: 1, to: 365 },
  );

export const StreamMaxBytesVariable = (): PropertyDecorator =>
  EnvInteger(
    'STREAM_MAX_BYTES',
    'The most the event stream may hold (stream.js sets it); above half of it, what all consumers have read is forgotten.',
    { from: 1_048_576 },
  );

export const StreamReplicasVariable = (): PropertyDecorator =>
  EnvInteger('STREAM_REPLICAS', 'On how many NATS servers each event is kept (stream.js sets it).', { from: 1, to: 5 });

/** The settings that making the event stream needs. It needs no database and no chain. */
export class StreamConfig {
  @NatsUrlVariable()
  readonly natsUrl!: string;

  @NatsUserVariable()
  readonly natsUser?: string;

  @NatsPasswordVariable()
  readonly natsPassword?: string;

  @NatsCaFileVariable()
  readonly natsCaFile?: string;

  @OutboxRetentionDaysVariable()
  readonly outboxRetentionDays: number = 14;

  @StreamMaxBytesVariable()
  readonly streamMaxBytes: number = 536_870_912;

  @StreamReplicasVariable()
  readonly streamReplicas: number = 1;
}
