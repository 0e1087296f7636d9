import { startPostgres } from '@paymaster/devnet';
import type { Address } from '@paymaster/domain';
import { createLedgerDatabase, seedChain, seedWallet } from '@paymaster/ledger/testing';
import type { Pool } from 'pg';

/** What a run writes fits into them; 16 MiB each. */
const LOG_FILES = 40;

/** A ledger on a real Postgres that waits for its disk, on the core of the load generator. */
export interface BenchLedger {
  readonly databaseUrl: string;
  /** A wallet that has deposited so much. */
  fund(wallet: { contract: Address; wallet: Address; spendableWei: bigint }): Promise<void>;
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

export async function startBenchLedger(chainId: number): Promise<BenchLedger> {
  const postgres = await startPostgres({ durable: true });
  const database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId });
  await makeLogFiles(database.pool);
  return {
    databaseUrl: database.url,
    fund: async (wallet) => void (await seedWallet(database.pool, { chainId, ...wallet })),
    rows: async (sql, values = []) => (await database.pool.query(sql, [...values])).rows,
    async stop() {
      await database.pool.end();
      await postgres.stop();
    },
  };
}

/**
 * A database that has been in service writes its log into files that it has already. A new one makes each when it comes
 * to it, and lets every commit wait for that: 60 ms every two seconds of load, which would be measured instead.
 */
async function makeLogFiles(pool: Pool): Promise<void> {
  for (let made = 0; made < LOG_FILES; made++) {
    await pool.query(`SELECT pg_logical_emit_message(false, 'bench', 'so that the file is not empty')`);
    await pool.query('SELECT pg_switch_wal()');
  }
  // Keeps them for what is written next.
  await pool.query('CHECKPOINT');
}
