import { randomBytes } from 'node:crypto';
import { Client, Pool, type PoolClient } from 'pg';
import { migrateLedger } from '../schema/migrate-ledger';

/** A database of its own, migrated. */
export interface LedgerDatabase {
  readonly url: string;
  readonly pool: Pool;
  /**
   * Ends every connection to the database, also those that a failed test has not returned, and deletes the database.
   */
  drop(): Promise<void>;
}

/** Makes a database in a running Postgres, whose user may create some (devnet's may), and migrates it. */
export async function createLedgerDatabase(postgresUrl: string): Promise<LedgerDatabase> {
  const name = `ledger_${randomBytes(6).toString('hex')}`;
  await asAdmin(postgresUrl, `CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  await migrateLedger(url.href);
  const pool = new Pool({ connectionString: url.href, max: 8 });
  // Connections report when their database or server ends; the tests ignore that.
  pool.on('error', () => undefined);
  const taken = new Set<PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  return {
    url: url.href,
    pool,
    async drop() {
      // Without this, closing the pool would wait for these connections for ever.
      for (const client of taken) client.release(true);
      await pool.end();
      await asAdmin(postgresUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function asAdmin(postgresUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
