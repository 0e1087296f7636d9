import { Type } from 'class-transformer';
import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import { NATS_URL_PATTERN, NATS_URL_RULE } from '@paymaster/messaging';
import { Env } from '@paymaster/nest-kit';
import { BooksConfig } from './books.config';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Everything settlement reads from its environment. A wrong value stops the boot and is named. */
export class SettlementConfig extends BooksConfig {
  @Env('HOST', 'The address to listen on.')
  @IsString()
  @IsNotEmpty()
  readonly host: string = '0.0.0.0';

  @Env('PORT', 'The port to listen on, for health and metrics.')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  readonly port: number = 3002;

  @Env('NATS_URL', 'Where NATS is, for example nats://nats:4222; several servers are separated by commas.')
  @Matches(NATS_URL_PATTERN, { message: NATS_URL_RULE })
  readonly natsUrl!: string;

  @Env('NATS_USER', 'The user this app is on NATS; none when NATS asks for none.')
  @ValidateIf(({ natsUser, natsPassword }: SettlementConfig) => natsUser !== undefined || natsPassword !== undefined)
  @IsString()
  @IsNotEmpty()
  readonly natsUser?: string;

  @Env('NATS_PASSWORD', 'The password of NATS_USER.', { secret: true })
  @ValidateIf(({ natsUser, natsPassword }: SettlementConfig) => natsUser !== undefined || natsPassword !== undefined)
  @IsString()
  @IsNotEmpty()
  readonly natsPassword?: string;

  @Env('NATS_CA_FILE', "A PEM file with the authority of NATS' certificate; with it, or with tls://, only TLS is used.")
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  readonly natsCaFile?: string;

  @Env('POLL_INTERVAL_MS', 'Pause between two looks at a chain that has nothing new.')
  @Type(() => Number)
  @IsInt()
  @Min(50)
  @Max(60_000)
  readonly pollIntervalMs: number = 1_000;

  @Env('RECONCILE_INTERVAL_SECONDS', 'Time between two comparisons of the books with the chain.')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(86_400)
  readonly reconcileIntervalSeconds: number = 3_600;

  @Env(
    'OUTBOX_RETENTION_DAYS',
    'How long published events are kept, in Postgres to fill a lost stream again, and in it.',
  )
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(365)
  readonly outboxRetentionDays: number = 14;

  @Env(
    'STREAM_MAX_BYTES',
    'The most the event stream may hold; above half of it, what all consumers have read is forgotten.',
  )
  @Type(() => Number)
  @IsInt()
  @Min(1_048_576)
  readonly streamMaxBytes: number = 536_870_912;

  @Env('STREAM_REPLICAS', 'On how many NATS servers each event is kept.')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(5)
  readonly streamReplicas: number = 1;

  @Env('DRAIN_SECONDS', 'Time between failing readiness and closing on SIGTERM.')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(300)
  readonly drainSeconds: number = 0;

  @Env('LOG_LEVEL', 'The least severe log level that is written.')
  @IsIn(LOG_LEVELS)
  readonly logLevel: (typeof LOG_LEVELS)[number] = 'info';
}
