import { Client } from 'pg';
import { CreateLedgerSchema1763856000000 } from './1763856000000-create-ledger-schema';
import { CreateReserve1763856100000 } from './1763856100000-create-reserve';
import { GuardEntries1763856200000 } from './1763856200000-guard-entries';
import { CheckCursors1763856300000 } from './1763856300000-check-cursors';
import { LeanHotTables1763856400000 } from './1763856400000-lean-hot-tables';
import { AddSpendingBrakes1763856500000 } from './1763856500000-add-spending-brakes';
import { AddRequestDueDates1763856600000 } from './1763856600000-add-request-due-dates';
import { AddTokenExposure1763856700000 } from './1763856700000-add-token-exposure';
import { VersionSharedLimits1763856800000 } from './1763856800000-version-shared-limits';
import { CountClientNetworks1763856900000 } from './1763856900000-count-client-networks';
import { FollowSentOperations1763857000000 } from './1763857000000-follow-sent-operations';
import { CountUnpaidOfSenders1765330000000 } from './1765330000000-count-unpaid-of-senders';
import { LightenReservations1766600000000 } from './1766600000000-lighten-reservations';

const SCHEMA = 'ledger';
/** The migrations, in the order in which they run. */
export const LEDGER_MIGRATIONS = [
  CreateLedgerSchema1763856000000,
  CreateReserve1763856100000,
  GuardEntries1763856200000,
  CheckCursors1763856300000,
  LeanHotTables1763856400000,
  AddSpendingBrakes1763856500000,
  AddRequestDueDates1763856600000,
  AddTokenExposure1763856700000,
  VersionSharedLimits1763856800000,
  CountClientNetworks1763856900000,
  FollowSentOperations1763857000000,
  CountUnpaidOfSenders1765330000000,
  LightenReservations1766600000000,
] as const;

/** Held while migrating, so that processes that start together do it one after the other. An arbitrary constant. */
const MIGRATION_LOCK = 4337_0002;
/** How long a connection may take to open. A server that is down refuses at once; this time is for a busy machine. */
const CONNECT_WITHIN_MS = 15_000;
/**
 * How long a migration waits for the lock of a table. It then gives up, because all statements on the table wait behind
 * it.
 */
const LOCK_WITHIN_MS = 2_000;

/**
 * Creates the schema `ledger`, or brings it to the newest version. Safe to call from several processes at once.
 *
 * @returns the names of the migrations that ran, in their order; none when it was at the newest version
 */
export async function migrateLedger(databaseUrl: string): Promise<readonly string[]> {
  // Imported only here, because the gateway imports this library too and needs no ORM.
  const { DataSource } = await import('typeorm');
  const lock = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  await lock.connect();
  const dataSource = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    schema: SCHEMA,
    applicationName: 'ledger-migrations',
    migrations: [...LEDGER_MIGRATIONS],
    migrationsTableName: 'migrations',
    poolSize: 1,
    connectTimeoutMS: CONNECT_WITHIN_MS,
    extra: { lock_timeout: LOCK_WITHIN_MS },
    logging: false,
  });
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // `CREATE SCHEMA IF NOT EXISTS` requires the right to create even if the schema exists, and the role of a running
    // app does not have that right.
    const existing = await lock.query('SELECT FROM pg_namespace WHERE nspname = $1', [SCHEMA]);
    if (existing.rowCount === 0) await lock.query(`CREATE SCHEMA ${SCHEMA}`);
    await dataSource.initialize();
    const ran = await dataSource.runMigrations({ transaction: 'all' });
    return ran.map(({ name }) => name);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await lock.end();
  }
}
