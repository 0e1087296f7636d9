import { IsIn, IsNotEmpty, IsOptional, IsString, Matches } from 'class-validator';
import { MAX_POLICY_LIMITS } from '@paymaster/domain';
import { MAX_SNAPSHOT_POLICIES, MAX_SNAPSHOT_TOKENS } from '@paymaster/messaging';
import {
  DrainSecondsVariable,
  Env,
  EnvInteger,
  HostVariable,
  LogLevelVariable,
  MonitorPortVariable,
  NatsCaFileVariable,
  NatsPasswordVariable,
  NatsUrlVariable,
  NatsUserVariable,
  OtlpEndpointVariable,
  OtlpHeadersVariable,
  PortVariable,
  PriceApiKeyHeaderVariable,
  PriceApiKeyVariable,
  PriceApiUrlVariable,
  TracesSampleRatioVariable,
  TracesServiceNameVariable,
  WebhookAllowInsecureVariable,
  type LogLevel,
} from '@paymaster/nest-kit';
import type { NatsSettings } from '@paymaster/messaging';
import { DatabaseConfig } from './database.config';
import { ApiKeyEncryptionKeysOldVariable, ApiKeyEncryptionKeyVariable } from './encryption-keys.config';
import { SmtpFromVariable, SmtpUrlVariable } from './mail.config';
import { PublicUrlVariable } from './public-url.config';
import { ApiKeyIndexKeysOldVariable, ApiKeyIndexKeyVariable } from './index-keys.config';

/** Everything the dashboard service reads from its environment. A wrong value stops the boot and is named. */
export class DashboardConfig extends DatabaseConfig {
  @HostVariable()
  readonly host: string = '0.0.0.0';

  @PortVariable()
  readonly port: number = 3001;

  @PublicUrlVariable()
  readonly publicUrl?: string;

  @Env('WEB_PAGE_DIR', 'The folder of the built web page, which is then served at /. Without it there is no page.')
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  readonly webPageDir?: string;

  @Env(
    'PUBLIC_GATEWAY_URL',
    'Where apps reach the gateway, for the code that the page shows and for its own playground, for example https://gateway.example.org.',
  )
  @IsOptional()
  @Matches(/^https?:\/\/[\w.-]+(:\d{1,5})?(\/[\w.~-]+)*$/)
  readonly publicGatewayUrl?: string;

  @Env(
    'SIGN_UP',
    'Who may sign in for the first time and make accounts: people with an invitation (invite), or all (open).',
  )
  @IsIn(['invite', 'open'])
  readonly signUp: 'invite' | 'open' = 'invite';

  @MonitorPortVariable()
  readonly monitorPort?: number;

  @NatsUrlVariable()
  readonly natsUrl!: string;

  @NatsUserVariable()
  readonly natsUser?: string;

  @NatsPasswordVariable()
  readonly natsPassword?: string;

  @Env('NATS_EVENTS_USER', 'The user that reads the event stream on NATS, with the same password; else NATS_USER.')
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  readonly natsEventsUser?: string;

  @NatsCaFileVariable()
  readonly natsCaFile?: string;

  @Env(
    'CHAINS_FILE',
    "The operator's chains.json: the chains on which paymasters can be registered, and how to read them.",
  )
  @IsString()
  @IsNotEmpty()
  readonly chainsFile!: string;

  @ApiKeyIndexKeyVariable()
  readonly apiKeyIndexKey!: string;

  @ApiKeyIndexKeysOldVariable()
  readonly apiKeyIndexKeysOld?: string;

  @ApiKeyEncryptionKeyVariable()
  readonly apiKeyEncryptionKey!: string;

  @ApiKeyEncryptionKeysOldVariable()
  readonly apiKeyEncryptionKeysOld?: string;

  @EnvInteger('MAX_PAYMASTERS_PER_ACCOUNT', 'How many paymasters one account may register.', { from: 1 })
  readonly maxPaymastersPerAccount: number = 200;

  @EnvInteger('MAX_CONTRACTS_PER_PAYMASTER', 'How many smart contracts one paymaster may have.', { from: 1 })
  readonly maxContractsPerPaymaster: number = 200;

  @EnvInteger(
    'MAX_SELECTORS_PER_PAYMASTER',
    'How many method selectors all whitelists of one paymaster may hold together: they travel in one message.',
    { from: 1, to: 50_000 },
  )
  readonly maxSelectorsPerPaymaster: number = 10_000;

  @EnvInteger('MAX_TOKENS_PER_PAYMASTER', 'How many tokens one paymaster may add: they travel in the same message.', {
    from: 1,
    to: MAX_SNAPSHOT_TOKENS,
  })
  readonly maxTokensPerPaymaster: number = 50;

  @EnvInteger(
    'MAX_POLICIES_PER_PAYMASTER',
    'How many sponsorship policies one paymaster may have, paused ones included.',
    { from: 1, to: MAX_SNAPSHOT_POLICIES },
  )
  readonly maxPoliciesPerPaymaster: number = 50;

  @EnvInteger(
    'MAX_LIMITS_PER_POLICY',
    'How many spending limits one policy may have: each is a row that a request locks.',
    { from: 1, to: MAX_POLICY_LIMITS },
  )
  readonly maxLimitsPerPolicy: number = 20;

  @EnvInteger('MAX_ABI_BYTES_PER_PAYMASTER', 'How large all ABI texts of one paymaster may be together, in bytes.', {
    from: 1_024,
    to: 67_108_864,
  })
  readonly maxAbiBytesPerPaymaster: number = 8_388_608;

  @EnvInteger('MAX_ABI_BYTES', 'The largest ABI text accepted, in bytes.', { from: 1_024, to: 16_777_216 })
  readonly maxAbiBytes: number = 524_288;

  @EnvInteger('MAX_ABI_ITEMS', 'How many items (functions, events, errors) one ABI may have.', { from: 1, to: 100_000 })
  readonly maxAbiItems: number = 2_000;

  @EnvInteger('MAX_BODY_BYTES', 'The largest request body accepted, in bytes.', { from: 1_024 })
  readonly maxBodyBytes: number = 1_048_576;

  @EnvInteger('MAX_EXPIRY_SECONDS', 'The longest validity any paymaster may sign, whatever its own setting says.', {
    from: 120,
    to: 86_400,
  })
  readonly maxExpirySeconds: number = 3_600;

  @EnvInteger('FUNDING_MESSAGE_TTL_SECONDS', 'How long a funding message can be answered with its signature.', {
    from: 1,
    to: 86_400,
  })
  readonly fundingMessageTtlSeconds: number = 900;

  @EnvInteger(
    'EVENT_RETENTION_DAYS',
    'How long refused operations and ended webhook deliveries are kept; longer than events are in the stream.',
    { from: 15, to: 3_650 },
  )
  readonly eventRetentionDays: number = 30;

  @EnvInteger(
    'REQUEST_LOG_MAX_MB_PER_HOUR',
    'How many megabytes the request logs of all paymasters may grow by in an hour; further requests are not kept.',
    { from: 1, to: 100_000 },
  )
  readonly requestLogMaxMbPerHour: number = 64;

  @Env(
    'WEBHOOK_SIGNING_KEY',
    "The 32-byte key, in hex, that webhooks' secrets come from; the same as the gateway has. Without it there are none.",
    { secret: true },
  )
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/)
  readonly webhookSigningKey?: string;

  @WebhookAllowInsecureVariable()
  readonly webhookAllowInsecure: boolean = false;

  @Env('TELEGRAM_API_URL', 'Where alerts reach the Bot API of Telegram.')
  @Matches(/^https?:\/\/[\w.-]+(:\d{1,5})?$/)
  readonly telegramApiUrl: string = 'https://api.telegram.org';

  @PriceApiUrlVariable('as the gateway has it: an apiId of a token that it does not know is refused')
  readonly priceApiUrl?: string;

  @PriceApiKeyVariable()
  readonly priceApiKey?: string;

  @PriceApiKeyHeaderVariable()
  readonly priceApiKeyHeader: string = 'x-cg-pro-api-key';

  @SmtpUrlVariable()
  readonly smtpUrl?: string;

  @SmtpFromVariable()
  readonly smtpFrom?: string;

  @EnvInteger(
    'RATE_LIMIT_PER_TOKEN_PER_MINUTE',
    'Requests per minute that one account (or one address without a good authToken) may send to all processes together; 0: no limit.',
    { from: 0 },
  )
  readonly rateLimitPerTokenPerMinute: number = 6_000;

  @EnvInteger(
    'TRUSTED_PROXIES',
    "How many proxies in front are trusted for the client's address; 0 when there is none.",
    { from: 0, to: 10 },
  )
  readonly trustedProxies: number = 0;

  @DrainSecondsVariable()
  readonly drainSeconds: number = 5;

  @LogLevelVariable()
  readonly logLevel: LogLevel = 'info';

  @OtlpEndpointVariable()
  readonly otlpEndpoint?: string;

  @OtlpHeadersVariable()
  readonly otlpHeaders?: string;

  @TracesSampleRatioVariable()
  readonly tracesSampleRatio: number = 1;

  @TracesServiceNameVariable()
  readonly tracesServiceName: string = 'dashboard';
}

/** Where the event stream is read: in an account of NATS that policies do not pass through. */
export function eventsNats(config: DashboardConfig): NatsSettings {
  const { natsUrl, natsUser, natsEventsUser = natsUser, natsPassword, natsCaFile } = config;
  return {
    natsUrl,
    ...(natsEventsUser !== undefined && { natsUser: natsEventsUser }),
    ...(natsPassword !== undefined && { natsPassword }),
    ...(natsCaFile !== undefined && { natsCaFile }),
  };
}
