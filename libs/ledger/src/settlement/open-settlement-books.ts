import type { Address } from '@paymaster/domain';
import { applyBlocks } from './apply-blocks';
import { confirmHead, leftOutBlocks, newestBlockUpTo, readBlocks, readCursor } from './cursors';
import { Database, type DatabaseSource, type DatabaseTimeouts, type Queries } from './database';
import { endCounting } from './end-counting';
import { finalizeNextBlocks } from './finalize-blocks';
import { recordComparison } from './findings';
import { Leases, lockLease } from './leases';
import { PostgresOutbox } from './outbox';
import { pruneStep } from './prune';
import type {
  AppliedBlock,
  BlockHeader,
  BlockRef,
  Cursor,
  FinalBalance,
  Finding,
  Lease,
  LeftOutBlocks,
  RequestsAsked,
  RequestsSaid,
  Retention,
  SettlementBooks,
  UnsettledOperation,
} from './settlement-books';
import { unsettledOperations } from './unsettled-operations';
import { unwindBlocks } from './unwind-blocks';
import { VERIFY_STATEMENT_MS, verifyBooks } from './verify-books';
import { voidNextExpired } from './void-expired';
import { noteRequests, requestsToAsk } from './void-requests';

export type SettlementBooksOptions = DatabaseSource & {
  readonly timeouts?: DatabaseTimeouts;
  /** Called after the commit with findings that an operator must look at; they are in ledger.reconciliations too. */
  readonly onFinding?: (finding: Finding & { readonly chainId: number }) => void;
};

/**
 * Opens the books that settlement keeps. It connects at the first call.
 *
 * @example
 * const books = openSettlementBooks({ databaseUrl, onFinding: (finding) => logger.error(finding, 'alarm') });
 * const lease = await books.acquireLease({ chainId, holder: randomUUID(), ttlMs: 15_000 }); // again every 5 s
 * if (!lease) return; // standby
 * await books.applyBlocks(lease, blocks); // DetachedBlockError: unwindTo the last common block first
 * await books.finalize(lease, finalized);
 */
export function openSettlementBooks(options: SettlementBooksOptions): SettlementBooks {
  return new PostgresSettlementBooks(new Database(options, options.timeouts), options.onFinding ?? (() => undefined));
}

class PostgresSettlementBooks implements SettlementBooks {
  readonly outbox: PostgresOutbox;
  private readonly leases: Leases;

  constructor(
    private readonly database: Database,
    private readonly onFinding: (finding: Finding & { readonly chainId: number }) => void,
  ) {
    this.outbox = new PostgresOutbox(database);
    this.leases = new Leases(database);
  }

  acquireLease(request: { chainId: number; holder: string; ttlMs: number }): Promise<Lease | undefined> {
    return this.leases.acquire(request);
  }

  releaseLease(lease: Lease, holder: string): Promise<void> {
    return this.leases.release(lease, holder);
  }

  cursor(chainId: number): Promise<Cursor | undefined> {
    return this.database.read((queries) => readCursor(queries, chainId));
  }

  async startAt(lease: Lease, block: BlockHeader): Promise<void> {
    await this.asLeader(lease, (queries) =>
      queries.query(
        `WITH opened AS (
           INSERT INTO ledger.cursors (chain_id, token, head_number, head_hash, head_time, final_number, final_hash,
             final_time)
           VALUES ($1, $2, $3, $4, $6, $3, $4, $6) ON CONFLICT DO NOTHING RETURNING 1
         )
         INSERT INTO ledger.blocks (chain_id, number, hash, parent_hash, time)
         SELECT $1::bigint, $3::bigint, $4::text, $5::text, $6::bigint FROM opened`,
        [
          ...[lease.chainId, lease.token, block.number, block.hash.toLowerCase(), block.parentHash.toLowerCase()],
          block.timeSeconds,
        ],
      ),
    );
  }

  async blockAt(chainId: number, number: bigint): Promise<BlockHeader | undefined> {
    const [block] = await this.database.read((queries) => readBlocks(queries, { chainId, numbers: [number] }));
    return block;
  }

  newestBlockUpTo(chainId: number, number: bigint): Promise<BlockHeader | undefined> {
    return this.database.read((queries) => newestBlockUpTo(queries, { chainId, number }));
  }

  leftOut(chainId: number): Promise<readonly LeftOutBlocks[]> {
    return this.database.read((queries) => leftOutBlocks(queries, chainId));
  }

  async isQuiet(chainId: number): Promise<boolean> {
    const { rows } = await this.database.read((queries) =>
      queries.query<{ quiet: boolean }>(
        `SELECT NOT EXISTS (SELECT FROM ledger.reservations WHERE chain_id = $1 AND state = 'open')
            AND NOT EXISTS (SELECT FROM ledger.reservations WHERE chain_id = $1 AND state = 'landed')
            AND NOT EXISTS (
              SELECT FROM ledger.chain_events AS e JOIN ledger.cursors AS c USING (chain_id)
              WHERE e.chain_id = $1 AND e.block_number > c.final_number AND e.kind <> 'nonceUsed') AS quiet`,
        [chainId],
      ),
    );
    return rows[0]?.quiet === true;
  }

  async applyBlocks(lease: Lease, blocks: readonly AppliedBlock[]): Promise<void> {
    const findings = await this.asLeader(lease, (queries) => applyBlocks(queries, { lease, blocks }));
    for (const finding of findings) this.onFinding({ ...finding, chainId: lease.chainId });
    await this.untilDone(lease, (queries) => endCounting(queries, lease));
  }

  async confirmHead(lease: Lease, head: BlockRef): Promise<void> {
    await this.asLeader(lease, (queries) => confirmHead(queries, lease, head));
  }

  async unwindTo(lease: Lease, number: bigint): Promise<void> {
    await this.asLeader(lease, (queries) => unwindBlocks(queries, { lease, number }));
  }

  async finalize(lease: Lease, block: BlockRef): Promise<void> {
    await this.untilDone(lease, (queries) => finalizeNextBlocks(queries, { lease, block }));
    await this.untilDone(lease, (queries) => endCounting(queries, lease));
    await this.untilDone(lease, (queries) => voidNextExpired(queries, lease));
  }

  requestsToAsk(asked: RequestsAsked): Promise<readonly Address[]> {
    return this.database.read((queries) => requestsToAsk(queries, asked));
  }

  async noteRequests(lease: Lease, said: RequestsSaid): Promise<void> {
    await this.asLeader(lease, (queries) => noteRequests(queries, { lease, ...said }));
  }

  async halt(lease: Lease, reason: string): Promise<void> {
    await this.setHalted(lease, reason);
  }

  async resume(lease: Lease): Promise<void> {
    await this.setHalted(lease, null);
  }

  async prune(lease: Lease, keep: Retention): Promise<void> {
    await this.untilDone(lease, (queries) => pruneStep(queries, { lease, keep }));
  }

  verifyBooks(): Promise<readonly Finding[]> {
    return this.database.read(verifyBooks, VERIFY_STATEMENT_MS);
  }

  async finalBalances(chainId: number): Promise<readonly FinalBalance[]> {
    const { rows } = await this.database.read((queries) =>
      queries.query<{ contract: Address; wallet: Address; balance_wei: string; held_wei: string }>(
        `SELECT contract, wallet, balance_wei, held_wei FROM ledger.wallets WHERE chain_id = $1 ORDER BY id`,
        [chainId],
      ),
    );
    return rows.map(({ balance_wei, held_wei, ...account }) => ({
      ...{ ...account, balanceWei: BigInt(balance_wei), heldWei: BigInt(held_wei) },
    }));
  }

  unsettledOperations(chainId: number): Promise<readonly UnsettledOperation[]> {
    return this.database.read((queries) => unsettledOperations(queries, { chainId }));
  }

  async recordReconciliation(request: {
    chainId: number;
    blockNumber: bigint;
    findings: readonly Finding[];
  }): Promise<void> {
    await this.database.write((queries) => recordComparison(queries, request));
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async setHalted(lease: Lease, reason: string | null): Promise<void> {
    await this.asLeader(lease, (queries) =>
      queries.query(
        `UPDATE ledger.cursors SET halted_reason = $3, token = $2, updated_at = now() WHERE chain_id = $1`,
        [lease.chainId, lease.token, reason],
      ),
    );
  }

  private asLeader<T>(lease: Lease, work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.database.write(async (queries) => {
      await lockLease(queries, lease);
      return work(queries);
    });
  }

  /** One transaction per step, so that no lock is held for long. */
  private async untilDone(lease: Lease, step: (queries: Queries) => Promise<boolean>): Promise<void> {
    while (!(await this.asLeader(lease, step)));
  }
}
