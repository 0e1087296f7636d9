import { Transform } from 'class-transformer';
import { IsBoolean, ValidateBy, type ValidationArguments } from 'class-validator';
import {
  DrainSecondsVariable,
  Env,
  EnvInteger,
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

/**
 * The longest pause between two looks at a chain; milliseconds. Health reports a chain only after two of them, and the
 * ledger bounds strangers only while the books are less than a minute behind.
 */
export const LONGEST_PAUSE_MS = 30_000;

/** Refuses a pause during which the lease ends, because only a look at the chain renews the lease. */
function IsBelowLease(): PropertyDecorator {
  return ValidateBy({
    name: 'isBelowLease',
    validator: {
      validate: (pauseMs: number, args?: ValidationArguments) => {
        const { leaseTtlSeconds } = args?.object as SettlementConfig;
        // A lease that is no number is named by its own check.
        return Number.isNaN(leaseTtlSeconds) || pauseMs < leaseTtlSeconds * 1_000;
      },
      defaultMessage: () => 'must be less than LEASE_TTL_SECONDS, or another process takes the chain during each pause',
    },
  });
}

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

  @IsBelowLease()
  @EnvInteger(
    'POLL_INTERVAL_MS',
    'Pause between two looks at a chain that has nothing new, in milliseconds; less than LEASE_TTL_SECONDS.',
    { from: 50, to: LONGEST_PAUSE_MS },
  )
  readonly pollIntervalMs: number = 1_000;

  @Env(
    'SKIP_QUIET_BLOCKS',
    'true: while no signature is live, quiet blocks are not read, which saves calls to the providers. false: every block is read.',
  )
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  readonly skipQuietBlocks: boolean = true;

  @IsBelowLease()
  @EnvInteger(
    'QUIET_POLL_INTERVAL_MS',
    'POLL_INTERVAL_MS for the time in which blocks are left out. A deposit counts that much later.',
    { from: 50, to: 10_000 },
  )
  readonly quietPollIntervalMs: number = 4_000;

  @EnvInteger('RECONCILE_INTERVAL_SECONDS', 'Time between two comparisons of the books with the chain.', {
    from: 1,
    to: 86_400,
  })
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
