/** What two environments that one Prometheus watches say, and which alert it has to give for the one that is sick. */
export interface AlertCase {
  readonly alert: string;
  /** Why, where an alert has several reasons. */
  readonly because?: string;
  /** Values of each series in both, as promtool writes them; null where it is not there. */
  readonly series: Readonly<Record<string, readonly [sick: string | null, well: string]>>;
  /** What the alert names besides the environment. */
  readonly names?: Readonly<Record<string, string>>;
  /** How long both have said so; an hour where nothing else is needed. */
  readonly after?: string;
}

/** More samples than any case looks at, one a minute. */
const SAMPLES = 1_500;
const steady = (value: number): string => `${value}+0x${SAMPLES}`;
/** A counter. */
const perMinute = (value: number): string => `0+${value}x${SAMPLES}`;
const IS_UP = { 'paymaster_ready{instance="a"}': [steady(1), steady(1)] } as const;

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'NotReady',
    series: { 'paymaster_ready{instance="a"}': [steady(0), steady(1)] },
    names: { instance: 'a' },
  },
  { alert: 'NoGateway', series: { ...IS_UP, paymaster_rpc_in_flight: [null, steady(0)] } },
  {
    alert: 'RequestsFail',
    series: {
      'paymaster_rpc_requests_total{outcome="failed",reason="DEPENDENCY_UNAVAILABLE"}': [perMinute(20), perMinute(5)],
      'paymaster_rpc_requests_total{outcome="granted",reason="none"}': [perMinute(980), perMinute(995)],
    },
  },
  {
    alert: 'RequestsSlow',
    series: {
      'paymaster_rpc_request_seconds_bucket{method="pm_sponsorUserOperation",le="1"}': [perMinute(97), perMinute(995)],
      'paymaster_rpc_request_seconds_bucket{method="pm_sponsorUserOperation",le="5"}': [perMinute(99), perMinute(999)],
      'paymaster_rpc_request_seconds_bucket{method="pm_sponsorUserOperation",le="+Inf"}': [
        perMinute(100),
        perMinute(1_000),
      ],
    },
    names: { method: 'pm_sponsorUserOperation' },
  },
  {
    alert: 'EventLoopLags',
    series: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': [steady(0.3), steady(0.03)] },
    names: { instance: 'a' },
  },
  {
    alert: 'PoliciesStale',
    series: { 'paymaster_policy_cache_oldest_seconds{instance="a"}': [steady(61), steady(12)] },
    names: { instance: 'a' },
  },
  {
    alert: 'SignerFails',
    because: 'it is not up in one process',
    series: {
      'paymaster_signer_up{signer="kms",instance="a"}': [steady(0), steady(1)],
      'paymaster_signer_up{signer="kms",instance="b"}': [steady(1), steady(1)],
    },
    names: { signer: 'kms' },
  },
  {
    alert: 'SignerFails',
    because: 'it often fails',
    series: { 'paymaster_signer_failures_total{signer="kms",instance="a"}': [perMinute(7), perMinute(5)] },
    names: { signer: 'kms' },
  },
  {
    alert: 'OperationsRevert',
    series: {
      'paymaster_rpc_requests_total{outcome="refused",reason="REVERT_RATE_TOO_HIGH"}': [perMinute(1), steady(3)],
    },
  },
  {
    alert: 'DecisionWebhooksFail',
    series: {
      'paymaster_decision_webhooks_total{outcome="timed_out"}': [perMinute(4), perMinute(2)],
      'paymaster_decision_webhooks_total{outcome="resting"}': [perMinute(2), perMinute(2)],
      'paymaster_decision_webhooks_total{outcome="allowed"}': [perMinute(5), perMinute(5)],
    },
  },
  {
    alert: 'ChainStandsStill',
    series: { 'paymaster_chain_head_age_seconds{chain="10",instance="a"}': [steady(121), steady(119)] },
    names: { chain: '10' },
  },
  {
    alert: 'ProviderDown',
    series: {
      'paymaster_provider_up{chain="10",provider="p",use="chain"}': [steady(0), steady(1)],
      'paymaster_provider_up{chain="10",provider="p",use="feeds"}': [steady(1), steady(0)],
    },
    names: { chain: '10', provider: 'p' },
  },
  {
    alert: 'ProviderLags',
    series: { 'paymaster_provider_lag_blocks{chain="10",provider="p",use="chain"}': [steady(21), steady(20)] },
    names: { chain: '10', provider: 'p' },
  },
  {
    alert: 'ProvidersFail',
    series: {
      'paymaster_provider_requests_total{chain="10",provider="p",use="feeds",outcome="failed"}': [
        perMinute(6),
        perMinute(4),
      ],
      'paymaster_provider_requests_total{chain="10",provider="p",use="feeds",outcome="answered"}': [
        perMinute(5),
        perMinute(5),
      ],
    },
    names: { chain: '10', use: 'feeds' },
  },
  {
    alert: 'BundlerFails',
    series: {
      'paymaster_bundler_requests_total{chain="10",outcome="failed"}': [perMinute(6), perMinute(4)],
      'paymaster_bundler_requests_total{chain="10",outcome="refused"}': [perMinute(1), perMinute(4)],
      'paymaster_bundler_requests_total{chain="10",outcome="answered"}': [perMinute(4), perMinute(1)],
    },
    names: { chain: '10' },
  },
  {
    alert: 'BundlerFails',
    because: 'more than a few of a quiet chain fail',
    series: { 'paymaster_bundler_requests_total{chain="10",outcome="failed"}': [perMinute(0.6), perMinute(0.5)] },
    names: { chain: '10' },
  },
  {
    alert: 'NoBundlerWell',
    series: {
      'paymaster_bundler_sends_total{chain="10",bundler="a",outcome="failed"}': [perMinute(6), perMinute(6)],
      'paymaster_bundler_sends_total{chain="10",bundler="a",outcome="taken"}': [perMinute(4), perMinute(4)],
      'paymaster_bundler_sends_total{chain="10",bundler="b",outcome="failed"}': [perMinute(6), perMinute(4)],
      'paymaster_bundler_sends_total{chain="10",bundler="b",outcome="refused"}': [perMinute(4), perMinute(6)],
      'paymaster_bundler_sends_total{chain="10",bundler="never asked",outcome="failed"}': [steady(0), steady(0)],
    },
    names: { chain: '10' },
  },
  {
    alert: 'SentOperationsExpire',
    series: {
      'paymaster_sent_operations_total{chain="10",fate="expired"}': [perMinute(2), perMinute(1)],
      'paymaster_sent_operations_total{chain="10",fate="landed"}': [perMinute(10), perMinute(10)],
    },
    names: { chain: '10' },
  },
  {
    alert: 'EntryPointDepositLow',
    series: {
      'paymaster_entry_point_deposit_wei{chain="10",entry_point="0x5f"}': [steady(4e16), steady(5e16)],
    },
    names: { chain: '10', entry_point: '0x5f' },
  },
  {
    alert: 'PriceMissing',
    series: { 'paymaster_price_usable{chain="10",token="0x1",symbol="USDC"}': [steady(0), steady(1)] },
    names: { chain: '10', symbol: 'USDC' },
  },
  {
    alert: 'PriceSourceLeftOut',
    series: { 'paymaster_price_source_left_out{chain="10",source="feed"}': [steady(1), steady(0)] },
    names: { chain: '10', source: 'feed' },
  },
  {
    alert: 'TokenPaymentsUnpaid',
    series: { 'paymaster_token_unpaid_wei_total{chain="10",why="due"}': [perMinute(6e13), perMinute(5e13)] },
    names: { chain: '10' },
    after: '8h',
  },
  {
    alert: 'LedgerBehind',
    series: { 'settlement_lag_seconds{chain="10"}': [steady(121), steady(119)] },
    names: { chain: '10' },
  },
  {
    alert: 'StrangersNotBounded',
    series: { 'settlement_lag_seconds{chain="10"}': [steady(61), steady(59)] },
    names: { chain: '10' },
  },
  {
    alert: 'ChainHalted',
    series: { 'settlement_halted{chain="10"}': [steady(1), steady(0)] },
    names: { chain: '10' },
  },
  {
    alert: 'ChainWithoutLeader',
    because: 'nobody leads',
    series: {
      ...IS_UP,
      'settlement_leader{chain="10",instance="a"}': [steady(0), steady(0)],
      'settlement_leader{chain="10",instance="b"}': [steady(0), steady(1)],
    },
    names: { chain: '10' },
  },
  {
    alert: 'ChainWithoutLeader',
    because: 'there is no settlement',
    series: { ...IS_UP, 'settlement_leader{chain="10"}': [null, steady(1)] },
  },
  {
    alert: 'BooksDifferFromChain',
    series: { 'settlement_reconciliation_mismatches{chain="10"}': [steady(1), steady(0)] },
    names: { chain: '10' },
  },
  {
    alert: 'BooksNotCompared',
    because: 'the last time was long ago',
    series: { 'settlement_reconciliation_timestamp_seconds{chain="10"}': [steady(0), perMinute(60)] },
    names: { chain: '10' },
    after: '4h',
  },
  {
    alert: 'BooksNotCompared',
    because: 'it was never done',
    series: {
      'settlement_leader{chain="10"}': [steady(1), steady(1)],
      'settlement_reconciliation_timestamp_seconds{chain="10"}': [null, perMinute(60)],
    },
    names: { chain: '10' },
  },
  { alert: 'BooksBroken', series: { settlement_books_findings: [steady(1), steady(0)] } },
  { alert: 'OutboxGrows', series: { settlement_outbox_unpublished: [steady(10_001), steady(10_000)] } },
  {
    alert: 'LedgerDown',
    series: { 'paymaster_ledger_up{instance="a"}': [steady(0), steady(1)] },
    names: { instance: 'a' },
  },
  {
    alert: 'UnexpectedOperations',
    series: { 'settlement_unexpected_operations_total{chain="10"}': [steady(1), steady(0)] },
    names: { chain: '10' },
  },
  {
    alert: 'ContractChanged',
    series: {
      'settlement_contract_change_timestamp_seconds{chain="10",event="signerAdded"}': [steady(0), steady(-700_000)],
    },
    names: { chain: '10', event: 'signerAdded' },
  },
  {
    alert: 'PrechargesUnsettled',
    series: { 'settlement_unsettled_precharge_wei{chain="10",instance="a"}': [steady(6e16), steady(0)] },
    names: { chain: '10' },
  },
  {
    alert: 'FundingWalletLow',
    series: { 'paymaster_funding_wallets_low{chain="10"}': [steady(1), steady(0)] },
    names: { chain: '10' },
  },
  {
    alert: 'FundingWalletRunwayShort',
    series: {
      'paymaster_funding_wallet_balance_wei{chain="10",wallet="0x1"}': [
        `${1e18}-${1e15}x${SAMPLES}`,
        `${1e19}-${1e15}x${SAMPLES}`,
      ],
    },
    names: { chain: '10', wallet: '0x1' },
    after: '8h',
  },
  {
    alert: 'NatsDisconnected',
    series: { 'paymaster_nats_connected{instance="a"}': [steady(0), steady(1)] },
    names: { instance: 'a' },
  },
  {
    alert: 'RateLimitsNotShared',
    because: 'a process cannot tell the others',
    series: { 'paymaster_rate_sharing{job="gateway",instance="a"}': [steady(0), steady(1)] },
    names: { job: 'gateway', instance: 'a' },
  },
  {
    alert: 'RateLimitsNotShared',
    because: 'a process believes nobody',
    series: {
      'paymaster_rate_messages_total{job="gateway",instance="a",what="ignored"}': [perMinute(7), perMinute(5)],
    },
    names: { job: 'gateway', instance: 'a' },
  },
  {
    alert: 'RateLimitsNotShared',
    because: 'all tell and nobody hears',
    series: {
      'paymaster_rate_sharing{job="gateway",instance="a"}': [steady(1), steady(1)],
      'paymaster_rate_sharing{job="gateway",instance="b"}': [steady(1), steady(1)],
      'paymaster_rate_messages_total{job="gateway",instance="a",what="told"}': [perMinute(9), perMinute(9)],
      'paymaster_rate_messages_total{job="gateway",instance="b",what="heard"}': [steady(0), perMinute(9)],
    },
    names: { job: 'gateway' },
  },
  {
    alert: 'PostgresPoolWaits',
    series: { 'paymaster_postgres_pool_waiting{instance="a"}': [steady(6), steady(5)] },
    names: { instance: 'a' },
  },
  {
    alert: 'WebhookDeliveriesFail',
    because: 'some were given up',
    series: { 'paymaster_webhook_deliveries_total{kind="event",outcome="dead"}': [perMinute(1), steady(4)] },
  },
  {
    alert: 'WebhookDeliveriesFail',
    because: 'most are tried again',
    series: {
      'paymaster_webhook_deliveries_total{kind="event",outcome="retried"}': [perMinute(3), perMinute(1)],
      'paymaster_webhook_deliveries_total{kind="event",outcome="delivered"}': [perMinute(2), perMinute(2)],
    },
  },
  { alert: 'NoDashboard', series: { ...IS_UP, paymaster_policy_changes_untold: [null, steady(0)] } },
  {
    alert: 'WebhookDeliveriesWait',
    because: 'several accounts wait',
    series: { paymaster_webhook_accounts_behind: [steady(3), steady(2)] },
  },
  {
    alert: 'WebhookDeliveriesWait',
    because: 'nothing is tried',
    series: {
      paymaster_webhook_deliveries_oldest_due_seconds: [steady(301), steady(301)],
      'paymaster_webhook_deliveries_total{kind="event",outcome="delivered"}': [steady(9), perMinute(1)],
    },
  },
  {
    alert: 'EventsNotRead',
    because: 'too many wait',
    series: { 'paymaster_event_consumer_pending{consumer="c"}': [steady(10_001), steady(10_000)] },
    names: { consumer: 'c' },
  },
  {
    alert: 'EventsNotRead',
    because: 'the stream answers nobody',
    series: {
      'paymaster_event_consumer_up{consumer="c",instance="a"}': [steady(0), steady(0)],
      'paymaster_event_consumer_up{consumer="c",instance="b"}': [steady(0), steady(1)],
    },
    names: { consumer: 'c' },
  },
  {
    alert: 'DeadEvents',
    series: { 'paymaster_dead_events{consumer="c",instance="a"}': [steady(1), steady(0)] },
    names: { consumer: 'c' },
  },
];
