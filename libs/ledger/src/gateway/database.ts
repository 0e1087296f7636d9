import { DependencyUnavailableError } from '@paymaster/domain';
import { inTime } from '@paymaster/turns';
import { DatabaseError, Pool, type PoolClient, type QueryConfig } from 'pg';
import { BATCH_PARAMETERS } from './batch-values';

export interface DatabaseOptions {
  readonly databaseUrl: string;
  readonly poolSize: number;
  /** The server cancels a statement after this time, and then has a moment more to report it; milliseconds. */
  readonly deadlineMs: number;
  /** How long the server may take to report it; milliseconds. */
  readonly answerGraceMs: number;
  /** How long a statement waits for a connection; milliseconds. */
  readonly poolWaitMs: number;
  readonly onFault: (message: string, cause: unknown) => void;
}

export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Checks that the server has our ledger and is the primary; a standby may lag or be cut off. A function that has more
 * parameters is of a newer version, and serves us too.
 */
const PROBE = `SELECT NOT pg_is_in_recovery() AND EXISTS (
                      SELECT FROM pg_proc WHERE oid = to_regproc('ledger.reserve_for_clients')
                         AND proargnames @> '{${BATCH_PARAMETERS.join()}}') AS ready`;
/** How long a connection may take to open. It keeps opening when the statement that needed it has given up. */
const CONNECT_MS = 2_000;
const BUSY = 'no connection was free in time';
const BUSY_BY_THE_POOL = 'timeout exceeded when trying to connect';
const PROBE_WHILE_DOWN_MS = 250;
const PROBE_WHILE_UP_MS = 1_000;

/**
 * Postgres for a caller that cannot wait: after a failed connection every statement fails at once, until a probe in the
 * background finds the server again.
 */
export class Database {
  private readonly pool: Pool;
  private state: 'unknown' | 'up' | 'down' = 'unknown';
  private downBecause: string | undefined;
  private probing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: DatabaseOptions) {
    const { databaseUrl, poolSize, deadlineMs, poolWaitMs } = options;
    this.pool = new Pool({
      connectionString: databaseUrl,
      max: poolSize,
      connectionTimeoutMillis: Math.max(CONNECT_MS, poolWaitMs),
      statement_timeout: deadlineMs,
      idle_in_transaction_session_timeout: deadlineMs,
      application_name: 'paymaster-ledger',
      keepAlive: true,
      // Keeps connections open for a gateway that sends no statements for a while, so that its next request is quick.
      idleTimeoutMillis: 0,
    });
    // A connection that breaks in use reports that to its statement. Without this listener it would also end the
    // process.
    this.pool.on('connect', (connection) => connection.on('error', () => undefined));
    // An idle connection broke. Either only this connection is broken, or the server is down.
    this.pool.on('error', () => void this.probe());
    void this.probe();
  }

  isUp(): boolean {
    return this.state === 'up';
  }

  /** Connections: open, without work, and statements that wait for a connection. */
  connections(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Runs one statement, which is its own transaction.
   *
   * @param statement the statement; or a function that makes it as soon as there is a connection. If the function
   *   returns undefined because no caller needs it any more, nothing is sent and there are no rows
   * @throws {DependencyUnavailableError} `database`; the outcome is unknown unless its `cause` is a DatabaseError
   */
  async query<Row>(statement: Statement | (() => Statement | undefined)): Promise<Row[]> {
    if (this.state === 'down' || this.closed) throw unavailable(new Error('the breaker is open'));
    const { deadlineMs, answerGraceMs, poolWaitMs } = this.options;
    try {
      // The server's own timeout comes first. So a statement that only waited for a lock does not make the server look
      // down.
      return await this.ask<Row>(statement, { timeoutMs: deadlineMs + answerGraceMs, waitMs: poolWaitMs });
    } catch (cause) {
      if (isOutage(cause)) this.trip(cause);
      // While the database is down, what a probe found says more than a statement that was under way.
      else if (this.isUp()) this.options.onFault('the database could not do what it was asked', cause);
      throw unavailable(cause);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.probing;
    await this.pool.end();
  }

  private async ask<Row>(
    wanted: Statement | (() => Statement | undefined),
    { timeoutMs, waitMs }: { timeoutMs: number; waitMs: number },
  ): Promise<Row[]> {
    const connection = await this.connection(waitMs);
    let broken = false;
    try {
      const statement = typeof wanted === 'function' ? wanted() : wanted;
      if (!statement) return [];
      broken = true;
      // The type does not know the timeout of a single query.
      const query: QueryConfig & { query_timeout: number } = {
        ...statement,
        values: [...statement.values],
        query_timeout: timeoutMs,
      };
      const { rows } = await connection.query(query);
      broken = false;
      return rows as Row[];
    } catch (error) {
      broken &&= !(error instanceof DatabaseError) || isOutage(error);
      throw error;
    } finally {
      connection.release(broken);
    }
  }

  /** A connection that opens too late for its caller serves the next caller. */
  private connection(waitMs: number): Promise<PoolClient> {
    const coming = this.pool.connect();
    return inTime(coming, waitMs, () => {
      coming.then(
        (connection) => connection.release(),
        () => undefined,
      );
      return Promise.reject(new Error(BUSY));
    });
  }

  private trip(cause: unknown): void {
    const because = cause instanceof Error ? cause.message : 'unknown';
    const wasDown = this.state === 'down';
    // While the database stays down, only another reason is reported: for example first that no connection opens, and
    // then that the schema is missing.
    if (this.closed || (wasDown && because === this.downBecause)) return;
    this.state = 'down';
    this.downBecause = because;
    this.options.onFault('the database does not answer; nothing is reserved until it does', cause);
    if (!wasDown) void this.probe();
  }

  /** Probes now, and again after a while; one probe at a time. */
  private probe(): Promise<void> {
    this.probing ??= this.look().finally(() => {
      this.probing = undefined;
      if (this.closed) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(
        () => void this.probe(),
        this.state === 'up' ? PROBE_WHILE_UP_MS : PROBE_WHILE_DOWN_MS,
      ).unref();
    });
    return this.probing;
  }

  private async look(): Promise<void> {
    try {
      const probe = { name: 'ledger-probe', text: PROBE, values: [] };
      const { deadlineMs, answerGraceMs, poolWaitMs } = this.options;
      // A probe waits as long as a statement does. If it gave up earlier, a slow network would look like an outage.
      const patience = { timeoutMs: deadlineMs + answerGraceMs, waitMs: Math.max(CONNECT_MS, poolWaitMs) };
      const [row] = await this.ask<{ ready: boolean }>(probe, patience);
      if (!row?.ready) throw new Error('a standby, or a database without the schema of the ledger');
      this.state = 'up';
    } catch (error) {
      if (!isBusy(error)) this.trip(error);
    }
  }
}

/** Whether the fault means that the server could not be reached, and not that it answered with an error. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return !isBusy(error);
  // Connection exceptions, shutdowns and starts, too many connections, and a server that became a standby.
  return /^(08|57P|53300|25006)/.test(error.code ?? '');
}

/**
 * Every connection of the pool is in use. That says nothing about the server; the statements on these connections will
 * show its state.
 */
function isBusy(error: unknown): boolean {
  return error instanceof Error && (error.message === BUSY || error.message === BUSY_BY_THE_POOL);
}

function unavailable(cause: unknown): DependencyUnavailableError {
  return new DependencyUnavailableError('database', 'The ledger does not answer; nothing was signed.', { cause });
}
