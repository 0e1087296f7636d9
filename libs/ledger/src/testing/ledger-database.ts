import { randomBytes } from 'node:crypto';
import { makeDatabase } from '@paymaster/devnet';
import { Pool, type PoolClient } from 'pg';
import { migrateLedger } from '../schema/migrate-ledger';

/** A database of its own, migrated. */
export interface LedgerDatabase {
  readonly url: string;
  readonly pool: Pool;
  /**
   * Ends every connection to the database, also those that a failed test has not returned, and empties the database for
   * the next test of the file.
   */
  drop(): Promise<void>;
}

const MIGRATED = { name: 'migrated_ledger', fill: migrateLedger };
/** Empty databases by their server. */
const empty = new Map<string, LedgerDatabase[]>();

/**
 * Makes a database with the ledger's schema and no rows, or takes one that an earlier test of the file has emptied. The
 * URL's user must be allowed to make databases; devnet's is.
 */
export async function createLedgerDatabase(postgresUrl: string): Promise<LedgerDatabase> {
  const known = empty.get(postgresUrl)?.pop();
  if (known) return known;
  const url = await makeDatabase(postgresUrl, `ledger_${randomBytes(6).toString('hex')}`, MIGRATED);
  // Its idle connections, which stay for the next test, keep no process from ending.
  const pool = new Pool({ connectionString: url, max: 8, allowExitOnIdle: true });
  // Connections report when their database or server ends; the tests ignore that.
  pool.on('error', () => undefined);
  const taken = new Set<PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  const database: LedgerDatabase = {
    url,
    pool,
    async drop() {
      for (const client of taken) client.release(true);
      await makeEmpty(pool);
      empty.set(postgresUrl, [...(empty.get(postgresUrl) ?? []), database]);
    },
  };
  return database;
}

/**
 * Through a connection that the next test uses too: a new one costs Postgres thirty times as much as the statements
 * here, because it has to read the catalog and to plan all anew.
 */
async function makeEmpty(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
     RESET ALL;
     -- Else the trigger that guards entries refuses.
     SET LOCAL session_replication_role = replica;
     -- To truncate makes new files for each table and index, also for those without a row.
     DO $$ DECLARE name text; BEGIN
       FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'ledger' AND tablename <> 'migrations' LOOP
         EXECUTE format('DELETE FROM ledger.%I', name);
       END LOOP;
       PERFORM setval(format('ledger.%I', sequencename)::regclass, start_value, false)
         FROM pg_sequences WHERE schemaname = 'ledger';
     END $$`,
  );
}
