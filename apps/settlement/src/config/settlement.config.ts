import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import {
  DrainSecondsVariable,
  Env,
  HostVariable,
  LogLevelVariable,
  NatsCaFileVariable,
  NatsPasswordVariable,
  NatsUrlVariable,
  NatsUserVariable,
  OtlpEndpointVariable,
  OtlpHeadersVariable,
  PortVariable,
  TracesSampleRatioVariable,
  TracesServiceNameVariable,
  type LogLevel,
} from '@paymaster/nest-kit';
import { BooksConfig } from './books.config';
import { OutboxRetentionDaysVariable, StreamMaxBytesVariable, StreamReplicasVariable } from './stream.config';

/** Everything settlement reads from its environment. A wrong value stops the boot and is named. */
export class SettlementConfig extends BooksConfig {
  @HostVariable()
  readonly host: string = '0.0.0.0';

  @PortVariable('The port to listen on, for health and metrics.')
  readonly port: number = 3002;

  @NatsUrlVariable()
  readonly natsUrl!: string;

  @NatsUserVariable()
  readonly natsUser?: string;

  @NatsPasswordVariable()
  readonly natsPassword?: string;

  @NatsCaFileVariable()
  readonly natsCaFile?: string;

  @Env('POLL_INTERVAL_MS', 'Pause between two looks at a chain that has nothing new.')
  @Type(() => Number)
  @IsInt()
  @Min(50)
  @Max(60_000)
  readonly pollIntervalMs: number = 1_000;

  @Env(
    'SKIP_QUIET_BLOCKS',
    'Whether blocks are left out of the books while nothing is signed that could still land, true or false: saves calls.',
  )
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  readonly skipQuietBlocks: boolean = true;

  @Env('QUIET_POLL_INTERVAL_MS', 'The same while blocks may be left out. Deposits count that much later.')
  @Type(() => Number)
  @IsInt()
  @Min(50)
  @Max(10_000)
  readonly quietPollIntervalMs: number = 4_000;

  @Env('RECONCILE_INTERVAL_SECONDS', 'Time between two comparisons of the books with the chain.')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(86_400)
  readonly reconcileIntervalSeconds: number = 3_600;

  @OutboxRetentionDaysVariable()
  readonly outboxRetentionDays: number = 14;

  @StreamMaxBytesVariable()
  readonly streamMaxBytes: number = 536_870_912;

  @StreamReplicasVariable()
  readonly streamReplicas: number = 1;

  @DrainSecondsVariable()
  readonly drainSeconds: number = 0;

  @LogLevelVariable()
  readonly logLevel: LogLevel = 'info';

  @OtlpEndpointVariable()
  readonly otlpEndpoint?: string;

  @OtlpHeadersVariable()
  readonly otlpHeaders?: string;

  @TracesSampleRatioVariable()
  readonly tracesSampleRatio: number = 1;

  @TracesServiceNameVariable()
  readonly tracesServiceName: string = 'settlement';
}
