import { startPostgres } from '@paymaster/devnet';
import type { Address } from '@paymaster/domain';
import { createLedgerDatabase, seedChain, seedWallet } from '@paymaster/ledger/testing';

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
