import { IsIn, IsNotEmpty, IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import { API_KEY_INDEX_KEY_PATTERN, API_KEY_INDEX_KEYS_OLD_PATTERN } from '@paymaster/messaging';
import {
  DatabasePoolSizeVariable,
  DatabaseUrlVariable,
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

const NODE_ENVIRONMENTS = ['development', 'test', 'production'] as const;

/** Everything the gateway reads from its environment. A wrong value stops the boot and is named. */
export class PaymasterRpcConfig {
  @Env('NODE_ENV', 'Kind of environment: development, test or production. Production refuses a raw signer key.')
  @IsIn(NODE_ENVIRONMENTS)
  readonly nodeEnv: (typeof NODE_ENVIRONMENTS)[number] = 'production';

  @HostVariable()
  readonly host: string = '0.0.0.0';

  @PortVariable()
  readonly port: number = 3000;

  @MonitorPortVariable()
  readonly monitorPort?: number;

  @NatsUrlVariable()
  readonly natsUrl!: string;

  @NatsUserVariable()
  readonly natsUser?: string;

  @NatsPasswordVariable()
  readonly natsPassword?: string;

  @NatsCaFileVariable()
  readonly natsCaFile?: string;

  @DatabaseUrlVariable(
    'The Postgres database of the ledger, the same as the dashboard has; only its schema `ledger` is used.',
  )
  readonly databaseUrl!: string;

  @DatabasePoolSizeVariable({ least: 2, most: 50 })
  readonly databasePoolSize: number = 4;

  @EnvInteger(
    'LEDGER_MAX_LAG_SECONDS',
    "How far settlement may be behind a chain while its budgets are promised; less than the contracts' withdrawal delay.",
    { from: 1, to: 86_400 },
  )
  readonly ledgerMaxLagSeconds: number = 600;

  @Env('CHAINS_FILE', "The operator's chains.json: the chains served, their RPC URLs, bundlers and paymasters.")
  @IsString()
  @IsNotEmpty()
  readonly chainsFile!: string;

  @Env(
    'API_KEY_INDEX_KEY',
    'The 32-byte key, in hex, of which the blind index of API keys and the keys of NATS messages are made; the same as the dashboard has.',
    { secret: true },
  )
  @Matches(API_KEY_INDEX_KEY_PATTERN)
  readonly apiKeyIndexKey!: string;

  @Env(
    'API_KEY_INDEX_KEYS_OLD',
    'Up to three more such keys, separated by commas. The gateway also asks the dashboard for API keys under them, and accepts messages that are signed with them. Set them only for the time of a rotation (docs/operations/keys.md).',
    { secret: true },
  )
  @IsOptional()
  @Matches(API_KEY_INDEX_KEYS_OLD_PATTERN, { message: 'must be up to 3 keys of 64 hex digits, separated by commas' })
  readonly apiKeyIndexKeysOld?: string;

  @Env(
    'WEBHOOK_SIGNING_KEY',
    "The 32-byte key, in hex, that webhooks' secrets come from, as the dashboard has it; without it they all refuse.",
    { secret: true },
  )
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/)
  readonly webhookSigningKey?: string;

  @WebhookAllowInsecureVariable()
  readonly webhookAllowInsecure: boolean = false;

  @Env('SIGNER_PRIVATE_KEY', 'The raw key that signs sponsorships, 0x and 64 hex digits. Refused in production.', {
    secret: true,
  })
  @IsOptional()
  @Matches(/^0x[0-9a-fA-F]{64}$/)
  readonly signerPrivateKey?: string;

  @Env('SIGNER_KEYSTORE_FILE', 'The encrypted JSON keystore of the key that signs sponsorships.')
  @ValidateIf((config: PaymasterRpcConfig) => !config.signerPrivateKey && !config.signersFile)
  @IsString()
  @IsNotEmpty()
  readonly signerKeystoreFile?: string;

  @Env('SIGNER_KEYSTORE_PASSPHRASE_FILE', "The file that holds the keystore's passphrase.")
  @ValidateIf((config: PaymasterRpcConfig) => !config.signerPrivateKey && !config.signersFile)
  @IsString()
  @IsNotEmpty()
  readonly signerKeystorePassphraseFile?: string;

  @Env(
    'SIGNERS_FILE',
    'Instead of a key: the JSON file that lists the live signers, in order of preference; docs/operations/signers.md.',
  )
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  readonly signersFile?: string;

  @EnvInteger('SIGNER_TIMEOUT_MS', 'How long a signer of SIGNERS_FILE may take before the next one is asked.', {
    from: 50,
    to: 5_000,
  })
  readonly signerTimeoutMs: number = 1_000;

  @EnvInteger(
    'POLICY_MAX_STALENESS_SECONDS',
    'How old a policy may be while the dashboard or NATS is down; then requests fail.',
    { from: 0, to: 86_400 },
  )
  readonly policyMaxStalenessSeconds: number = 300;

  @EnvInteger('MAX_EXPIRY_SECONDS', 'The longest validity any paymaster may sign, whatever its own setting says.', {
    from: 120,
    to: 86_400,
  })
  readonly maxExpirySeconds: number = 3_600;

  @EnvInteger(
    'MAX_LIVE_SIGNATURES_PER_SENDER',
    'The most live signatures of one account, whatever a paymaster allows.',
    { from: 1, to: 1_000_000 },
  )
  readonly maxLiveSignaturesPerSender: number = 100;

  @EnvInteger(
    'MAX_LIVE_SIGNATURES_PER_CLIENT',
    'The same of one client address (IPv6: its /64, ten times as many its /48) at one paymaster.',
    { from: 1, to: 1_000_000 },
  )
  readonly maxLiveSignaturesPerClient: number = 100_000;

  @EnvInteger('MAX_LIVE_SIGNATURES_PER_PAYMASTER', 'The same of one paymaster.', { from: 1, to: 1_000_000 })
  readonly maxLiveSignaturesPerPaymaster: number = 100_000;

  @EnvInteger(
    'TRUSTED_PROXIES',
    "How many proxies in front are trusted for the client's address; 0 when there is none. Too low, and all clients are one.",
    { from: 0, to: 10 },
  )
  readonly trustedProxies: number = 0;

  @EnvInteger(
    'RATE_LIMIT_PER_KEY_PER_SECOND',
    'Requests per second that one paymaster may get by all its API keys and over all processes, a batch counting its entries; 0 means no limit.',
    { from: 0 },
  )
  readonly rateLimitPerKeyPerSecond: number = 200;

  @PriceApiUrlVariable('for tokens with an apiId')
  readonly priceApiUrl?: string;

  @PriceApiKeyVariable()
  readonly priceApiKey?: string;

  @PriceApiKeyHeaderVariable()
  readonly priceApiKeyHeader: string = 'x-cg-pro-api-key';

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
  readonly tracesServiceName: string = 'paymaster-rpc';
}
