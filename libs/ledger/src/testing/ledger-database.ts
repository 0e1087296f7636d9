import { randomBytes } from 'node:crypto';
import { makeDatabase } from '@paymaster/devnet';
import { Client, Pool, type PoolClient } from 'pg';
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
const empty = new Map<string, string[]>();

/** Makes a database with the ledger's schema and no rows. The URL's user must be allowed to; devnet's is. */
export async function createLedgerDatabase(postgresUrl: string): Promise<LedgerDatabase> {
  const url =
    empty.get(postgresUrl)?.pop() ??
    (await makeDatabase(postgresUrl, `ledger_${randomBytes(6).toString('hex')}`, MIGRATED));
  const pool = new Pool({ connectionString: url, max: 8 });
  // Connections report when their database or server ends; the tests ignore that.
  pool.on('error', () => undefined);
  const taken = new Set<PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  return {
    url,
    pool,
    async drop() {
      // Without this, closing the pool would wait for these connections for ever.
      for (const client of taken) client.release(true);
      await pool.end();
      await makeEmpty(url);
      empty.set(postgresUrl, [...(empty.get(postgresUrl) ?? []), url]);
    },
  };
}

async function makeEmpty(url: string): Promise<void> {
  await ask(
    url,
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    // Else the trigger that guards entries refuses.
    `SET session_replication_role = replica`,
    // To truncate makes new files for each table and index, also for those without a row.
    `DO $$ DECLARE name text; BEGIN
       FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'ledger' AND tablename <> 'migrations' LOOP
         EXECUTE format('DELETE FROM ledger.%I', name);
       END LOOP;
       PERFORM setval(format('ledger.%I', sequencename)::regclass, start_value, false)
         FROM pg_sequences WHERE schemaname = 'ledger';
     END $$`,
  );
}

async function ask(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
