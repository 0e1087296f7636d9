import type { Pool } from 'pg';
import { createLedgerDatabase, UNHURRIED, UNHURRIED_BOOKS } from '../../testing';
import { openLedger } from '../../gateway/open-ledger';
import type { Ledger } from '../../gateway/ledger';
import { openSettlementBooks } from '../open-settlement-books';
import type { BlockHeader, Finding, Lease, SettlementBooks } from '../settlement-books';
import { hex } from './model-chain';

export const CHAIN_ID = 31337;

/** The block before everything. */
export const GENESIS: BlockHeader = {
  number: 100n,
  hash: hex(32, 0xa00),
  parentHash: hex(32, 0xaff),
  timeSeconds: 1_800_000_000,
};

/** The real books and the real ledger on a database of their own. */
export interface BooksUnderTest {
  readonly books: SettlementBooks;
  readonly ledger: Ledger;
  readonly lease: Lease;
  readonly pool: Pool;
  readonly url: string;
  readonly findings: readonly Finding[];
  stop(): Promise<void>;
}

/** Books that are opened at {@link GENESIS}. */
export async function openBooksUnderTest(postgresUrl: string): Promise<BooksUnderTest> {
  const database = await createLedgerDatabase(postgresUrl);
  const findings: Finding[] = [];
  const books = openSettlementBooks({
    pool: database.pool,
    timeouts: UNHURRIED_BOOKS,
    onFinding: (finding) => findings.push(finding),
  });
  const ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
  const lease = await books.acquireLease({ chainId: CHAIN_ID, holder: 'first', ttlMs: 600_000 });
  if (!lease) throw new Error('No lease on a fresh database.');
  await books.startAt(lease, GENESIS);
  return {
    ...{ books, ledger, lease, findings },
    pool: database.pool,
    url: database.url,
    async stop() {
      await ledger.close();
      await books.close();
      await database.drop();
    },
  };
}
