import { Pool } from 'pg';
import type { BooksConfig } from '../config/books.config';

/** Connections to the database of the books. */
export function createPool({ databaseUrl, databasePoolSize }: BooksConfig): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: 'settlement',
    max: databasePoolSize,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: 10_000,
    // A new connection reads the catalog and plans all anew, which takes Postgres as long as many statements.
    idleTimeoutMillis: 600_000,
  });
  // When the server stops, idle connections report errors. Without a handler such an error would end the process.
  pool.on('error', () => undefined);
  return pool;
}
