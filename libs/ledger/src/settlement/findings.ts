import type { Queries } from './database';
import type { Finding } from './settlement-books';

/**
 * Writes down findings that an operator must look at, in the transaction that met them. Writes nothing if there are no
 * findings.
 */
export async function recordFindings(
  queries: Queries,
  { chainId, blockNumber, findings }: { chainId: number; blockNumber: bigint; findings: readonly Finding[] },
): Promise<void> {
  if (findings.length > 0) await recordComparison(queries, { chainId, blockNumber, findings });
}

/** Writes down the result of comparing the books. */
export async function recordComparison(
  queries: Queries,
  { chainId, blockNumber, findings }: { chainId: number; blockNumber: bigint; findings: readonly Finding[] },
): Promise<void> {
  await queries.query(
    `INSERT INTO ledger.reconciliations (chain_id, block_number, agrees, findings) VALUES ($1, $2, $3, $4)`,
    [chainId, blockNumber, findings.length === 0, JSON.stringify(findings)],
  );
}
