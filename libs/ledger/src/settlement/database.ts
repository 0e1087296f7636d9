import { createHash } from 'node:crypto';
import { Pool, type PoolClient, type PoolConfig } from 'pg';

/** Where the books are: a connection string, or a pool that its owner closes. */
export type DatabaseSource = { readonly databaseUrl: string } | { readonly pool: Pool };

/** The server's timeouts, in milliseconds. */
export interface DatabaseTimeouts {
  readonly statementMs: number;
  readonly lockMs: number;
  /**
   * If a process stops inside a transaction, the server ends the transaction after this time, and so releases the lock
   * on the lease.
   */
  readonly idleInTransactionMs: number;
}

export const DEFAULT_TIMEOUTS: DatabaseTimeouts = { statementMs: 10_000, lockMs: 5_000, idleInTransactionMs: 5_000 };

/**
 * Every statement of a write joins a short list to an index. These settings make the planner use the index, even if its
 * statistics are from a time when the table was small.
 */
export const INDEXES_ONLY = ['seqscan', 'hashjoin', 'mergejoin']
  .map((plan) => `SET LOCAL enable_${plan} = off`)
  .concat('SET LOCAL jit = off')
  .join('; ');

/** A client inside a transaction, which runs statements. */
export type Queries = Pick<PoolClient, 'query'>;

/** Transactions with limits on the server's side. */
export class Database {
  private readonly pool: Pool;
  private readonly ownsPool: boolean;

  constructor(
    source: DatabaseSource,
    private readonly timeouts: DatabaseTimeouts = DEFAULT_TIMEOUTS,
  ) {
    this.ownsPool = 'databaseUrl' in source;
    this.pool = 'pool' in source ? source.pool : new Pool(poolConfig(source.databaseUrl, timeouts));
    // The idle connections of a stopped server report errors; without a handler that ends the process.
    if (this.ownsPool) this.pool.on('error', () => undefined);
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED): every statement sees what was committed before it. Statements with
   * values are prepared, so they name their columns: after a migration that adds a column, Postgres refuses a prepared
   * `SELECT *`.
   */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.transaction(`BEGIN; ${INDEXES_ONLY}`, this.timeouts.statementMs, (client) => work(preparing(client)));
  }

  /** Runs `work` on one snapshot, with a longer timeout for each statement. */
  read<T>(work: (queries: Queries) => Promise<T>, statementMs = this.timeouts.statementMs): Promise<T> {
    return this.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', statementMs, work);
  }

  async close(): Promise<void> {
    if (this.ownsPool) await this.pool.end();
  }

  private async transaction<T>(begin: string, statementMs: number, work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    // A connection that dies while it is out of the pool reports here too.
    const noticeDeath = (error: Error): void => void (broken = error);
    client.on('error', noticeDeath);
    try {
      await client.query(
        `${begin}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${this.timeouts.lockMs};
         SET LOCAL idle_in_transaction_session_timeout = ${this.timeouts.idleInTransactionMs}`,
      );
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.off('error', noticeDeath);
      client.release(broken);
    }
  }
}

/** Names of prepared statements by their text. There are as many as this library has statements. */
const names = new Map<string, string>();

/**
 * Prepares each statement with values once per connection. To parse and plan it takes Postgres several times as long as
 * to run it, and {@link INDEXES_ONLY} leaves the planner no choice that depends on the values.
 */
function preparing(client: Queries): Queries {
  const query = (text: string, values?: unknown[]) => {
    if (!values) return client.query(text);
    const name = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
    return client.query({ name, text, values });
  };
  return { query: query as Queries['query'] };
}

function poolConfig(databaseUrl: string, { statementMs }: DatabaseTimeouts): PoolConfig {
  return {
    connectionString: databaseUrl,
    application_name: 'settlement',
    max: 4,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: statementMs,
    // For the case that the network loses the server's timeout error.
    query_timeout: statementMs + 5_000,
  };
}
