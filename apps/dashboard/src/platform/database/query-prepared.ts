import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/**
 * Runs a statement that is prepared once per connection, because it runs all the time and takes longer to plan than to
 * run. It names its columns: after a migration that adds one, Postgres refuses a prepared `SELECT *`.
 *
 * @returns its rows
 */
export async function queryPrepared<Row extends object>(
  { driver }: DataSource,
  statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
): Promise<Row[]> {
  // The ORM has no names for statements; this is its own pool.
  const { master } = driver as unknown as { readonly master: Pool };
  return (await master.query<Row>(statement)).rows;
}
