import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresConnectionOptions } from 'typeorm/driver/postgres/PostgresConnectionOptions';
import { Account } from '../access/accounts/account';
import { AuthTokenEntity } from '../access/accounts/auth-token.entity.db';
import { MemberEntity, PersonEntity } from '../access/people/person';
import { OwnRole } from '../access/people/roles.repository';
import { AuditEntryEntity } from '../platform/audit/audit-entry';
import type { DatabaseConfig } from '../platform/config/database.config';
import { FundingMessage } from '../programs/funding/funding-message';
import { Paymaster } from '../access/paymasters/paymaster';
import { PolicyEntity } from '../programs/policies/policy.entity.db';
import { SharedPolicyEntity, SharedPolicyPaymaster } from '../programs/policies/shared-policy.entity.db';
import { SmartContractEntity } from '../programs/smart-contracts/smart-contract';
import { TokenEntity } from '../programs/tokens/token.entity.db';
import { WebhookEntity } from '../outbound/webhooks/webhook';
import { AlertEntity } from '../activity/alerts/alert';
import { DeadEvent } from '../platform/dead-events/dead-event';
import { NamedKeyEntity, NamedKeyTextEntity } from '../programs/named-keys/named-key.entity.db';
import { NamedSessionKey } from '../programs/session-keys/session-key';
import { CreateDashboardSchema1763683200000 } from './migrations/1763683200000-create-dashboard-schema';
import { AddTokenMode1763769600000 } from './migrations/1763769600000-add-token-mode';
import { AddPolicies1763856000000 } from './migrations/1763856000000-add-policies';
import { AddOperations1763942400000 } from './migrations/1763942400000-add-operations';
import { AddWebhooks1764028800000 } from './migrations/1764028800000-add-webhooks';
import { AddFormerApiKeys1764115200000 } from './migrations/1764115200000-add-former-api-keys';
import { AddSpendingBrake1764201600000 } from './migrations/1764201600000-add-spending-brake';
import { TellOfWalletsFirst1764288000000 } from './migrations/1764288000000-tell-of-wallets-first';
import { AddNamedKeys1764460800000 } from './migrations/1764460800000-add-named-keys';
import { AddSessionKeys1764460860000 } from './migrations/1764460860000-add-session-keys';
import { AddSponsor1764547320000 } from './migrations/1764547320000-add-sponsor';
import { AddLimitReached1764547380000 } from './migrations/1764547380000-add-limit-reached';
import { AddEqualFees1764720000000 } from './migrations/1764720000000-add-equal-fees';
import { AddSharedPolicies1764633660000 } from './migrations/1764633660000-add-shared-policies';
import { AddArchive1764806460000 } from './migrations/1764806460000-add-archive';
import { AddPeople1764806760000 } from './migrations/1764806760000-add-people';
import { AddSuspensions1764893220000 } from './migrations/1764893220000-add-suspensions';
import { ListAccounts1764893280000 } from './migrations/1764893280000-list-accounts';
import { LogOperators1764893340000 } from './migrations/1764893340000-log-operators';
import { AddNearNetworks1764979980000 } from './migrations/1764979980000-add-near-networks';
import { AddBundlerState1765066500000 } from './migrations/1765066500000-add-bundler-state';
import { AddDefaultExpiry1765152900000 } from './migrations/1765152900000-add-default-expiry';
import { SplitUsageByMode1765239300000 } from './migrations/1765239300000-split-usage-by-mode';
import { SumMoney1765325820000 } from './migrations/1765325820000-sum-money';
import { FindRefusals1765325880000 } from './migrations/1765325880000-find-refusals';
import { AddPriceSources1765325940000 } from './migrations/1765325940000-add-price-sources';
import { AddAlerts1765360000000 } from './migrations/1765360000000-add-alerts';
import { AddRequestLog1765380000000 } from './migrations/1765380000000-add-request-log';
import { AddProjects1765390000000 } from './migrations/1765390000000-add-projects';
import { SumGas1765390060000 } from './migrations/1765390060000-sum-gas';
import { AddServers1764979800000 } from './migrations/1764979800000-add-servers';
import { AddPolicyVersions1764893100000 } from './migrations/1764893100000-add-policy-versions';
import { FindOperations1764806520000 } from './migrations/1764806520000-find-operations';
import { ListAuditLog1764806580000 } from './migrations/1764806580000-list-audit-log';
import { AddAccountEvents1764806640000 } from './migrations/1764806640000-add-account-events';
import { SplitUsage1764806700000 } from './migrations/1764806700000-split-usage';
import { AddCallDataSuffix1764806820000 } from './migrations/1764806820000-add-call-data-suffix';
import { AddContractErrors1764806880000 } from './migrations/1764806880000-add-contract-errors';
import { AddIgnoredPolicyIds1764979860000 } from './migrations/1764979860000-add-ignored-policy-ids';
import { AddBatchApprovalSwitch1764979920000 } from './migrations/1764979920000-add-batch-approval-switch';
import { AddSignWhenSent1765066380000 } from './migrations/1765066380000-add-sign-when-sent';
import { AddPasskeys1765370000000 } from './migrations/1765370000000-add-passkeys';
import { AddRoles1765370060000 } from './migrations/1765370060000-add-roles';
import { AddMailSignIn1766100000000 } from './migrations/1766100000000-add-mail-sign-in';
import { AddSecondFactors1766100060000 } from './migrations/1766100060000-add-second-factors';
import { NumberPolicyChanges1767500000000 } from './migrations/1767500000000-number-policy-changes';
import { SCHEMA } from './schema';

/** Held while migrating, so that processes that start together do it one after the other. An arbitrary constant. */
const MIGRATION_LOCK = 4337_0001;

/**
 * For a connection, or for what another transaction holds; then the database is taken for unavailable. Longer than a
 * machine stands still now and then: whoever waits for one that does would be refused for nothing.
 */
const MAX_WAIT_MS = 5_000;

/** How the dashboard talks to its database. */
export function dataSourceOptions({ databaseUrl, databasePoolSize }: DatabaseConfig): PostgresConnectionOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    schema: SCHEMA,
    applicationName: 'dashboard',
    entities: [
      Account,
      AuthTokenEntity,
      PersonEntity,
      MemberEntity,
      OwnRole,
      Paymaster,
      SmartContractEntity,
      FundingMessage,
      TokenEntity,
      PolicyEntity,
      SharedPolicyEntity,
      SharedPolicyPaymaster,
      WebhookEntity,
      AlertEntity,
      AuditEntryEntity,
      NamedKeyEntity,
      NamedKeyTextEntity,
      NamedSessionKey,
      DeadEvent,
    ],
    migrations: [
      CreateDashboardSchema1763683200000,
      AddTokenMode1763769600000,
      AddPolicies1763856000000,
      AddOperations1763942400000,
      AddWebhooks1764028800000,
      AddFormerApiKeys1764115200000,
      AddSpendingBrake1764201600000,
      TellOfWalletsFirst1764288000000,
      AddNamedKeys1764460800000,
      AddSessionKeys1764460860000,
      AddSponsor1764547320000,
      AddLimitReached1764547380000,
      AddSharedPolicies1764633660000,
      AddEqualFees1764720000000,
      AddArchive1764806460000,
      FindOperations1764806520000,
      ListAuditLog1764806580000,
      AddAccountEvents1764806640000,
      SplitUsage1764806700000,
      AddPeople1764806760000,
      AddCallDataSuffix1764806820000,
      AddContractErrors1764806880000,
      AddPolicyVersions1764893100000,
      AddSuspensions1764893220000,
      ListAccounts1764893280000,
      LogOperators1764893340000,
      AddServers1764979800000,
      AddIgnoredPolicyIds1764979860000,
      AddBatchApprovalSwitch1764979920000,
      AddNearNetworks1764979980000,
      AddSignWhenSent1765066380000,
      AddBundlerState1765066500000,
      AddDefaultExpiry1765152900000,
      SplitUsageByMode1765239300000,
      SumMoney1765325820000,
      FindRefusals1765325880000,
      AddPriceSources1765325940000,
      AddAlerts1765360000000,
      AddPasskeys1765370000000,
      AddRoles1765370060000,
      AddRequestLog1765380000000,
      AddProjects1765390000000,
      SumGas1765390060000,
      AddMailSignIn1766100000000,
      AddSecondFactors1766100060000,
      NumberPolicyChanges1767500000000,
    ],
    migrationsTableName: 'migrations',
    poolSize: databasePoolSize,
    connectTimeoutMS: MAX_WAIT_MS,
    extra: {
      ...{ statement_timeout: 10_000, lock_timeout: MAX_WAIT_MS, idle_in_transaction_session_timeout: 20_000 },
      // A new connection reads the catalog anew, which takes Postgres as long as many statements.
      idleTimeoutMillis: 600_000,
    },
    // Statements carry hashes and ciphertexts: they stay out of the logs.
    logging: false,
    // The idle connections of a stopped server report errors; without a handler that ends the process.
    poolErrorHandler: () => undefined,
  };
}

/** Connects, and brings the schema to the newest version. */
export async function openDataSource(options: PostgresConnectionOptions): Promise<DataSource> {
  const dataSource = new DataSource(options);
  await migrate(dataSource, options.url);
  return dataSource;
}

/**
 * Brings the schema to the newest version, however long its statements take. Safe beside others that do the same.
 *
 * @returns the names of the migrations that ran, in their order; none when it was at the newest version
 */
export async function migrateDashboard(databaseUrl: string): Promise<readonly string[]> {
  const options = dataSourceOptions({ databaseUrl, databasePoolSize: 1 });
  const dataSource = new DataSource({ ...options, extra: { lock_timeout: MAX_WAIT_MS } });
  try {
    return await migrate(dataSource, databaseUrl);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

function migrate(dataSource: DataSource, url: string | undefined): Promise<readonly string[]> {
  return holdingMigrationLock(url, async (client) => {
    // IF NOT EXISTS asks for the right to create all the same, and a role that only serves has none.
    const existing = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [SCHEMA]);
    if (existing.rowCount === 0) await client.query(`CREATE SCHEMA ${SCHEMA}`);
    await dataSource.initialize();
    const ran = await dataSource.runMigrations({ transaction: 'all' });
    return ran.map(({ name }) => name);
  });
}

async function holdingMigrationLock<T>(url: string | undefined, migrate: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: MAX_WAIT_MS });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await migrate(client);
  } finally {
    await client.end();
  }
}
