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
  });
  // The idle connections of a stopped server report errors; without a handler that ends the process.
  pool.on('error', () => undefined);
  return pool;
}
