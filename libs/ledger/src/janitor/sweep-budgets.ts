import type { Pool } from 'pg';

export interface SweepOptions {
  /** Rows per transaction. Default 1,000. */
  readonly pageSize?: number;
}

export interface SweepResult {
  readonly live: number;
  readonly ended: number;
}

/** Budgets whose window ended longer ago are deleted, with their entries and holds: 90 days. */
const WINDOW_RETENTION_SECONDS = 90 * 86_400;

/**
 * Deletes one page of budgets, in order of id. It skips locked rows, so the sweep waits for no other transaction. If a
 * reservation waits for a budget that is deleted here, it makes the budget again. A budget in which nothing is reserved
 * has no open hold.
 *
 * A budget is deleted after its entries, because the trigger on entries reads from the budget whether its window has
 * ended. Counting the deleted entries keeps this order.
 */
const SWEEP_PAGE = `
  WITH page AS (
    SELECT id FROM ledger.budgets WHERE id > $1 ORDER BY id LIMIT $2
  ), doomed AS (
    SELECT b.id, b.live FROM ledger.budgets b JOIN page USING (id)
     WHERE b.reserved = 0 AND (b.live OR b.ends_at < extract(epoch FROM now()) - $3::bigint)
       FOR UPDATE OF b SKIP LOCKED
  ), old_entries AS (
    DELETE FROM ledger.entries e USING doomed d WHERE e.budget_id = d.id AND NOT d.live RETURNING e.budget_id, e.reservation_id
  ), old_holds AS (
    DELETE FROM ledger.holds h USING (SELECT DISTINCT budget_id, reservation_id FROM old_entries) e
     WHERE h.reservation_id = e.reservation_id AND h.budget_id = e.budget_id
  ), gone AS (
    DELETE FROM ledger.budgets b USING doomed d
     WHERE b.id = d.id AND (SELECT count(*) FROM old_entries) >= 0 RETURNING b.live
  )
  SELECT (SELECT max(id) FROM page) AS last,
         (SELECT count(*)::int FROM gone WHERE live) AS live,
         (SELECT count(*)::int FROM gone WHERE NOT live) AS ended`;

/**
 * Deletes budgets that are no longer needed: caps on live signatures with nothing live, and budgets whose window ended
 * long ago. Runs beside reservations and settlement, in small transactions. Call it every few minutes.
 *
 * @returns how many rows of each kind were deleted
 */
export async function sweepBudgets(pool: Pool, options: SweepOptions = {}): Promise<SweepResult> {
  const { pageSize = 1_000 } = options;
  let [live, ended] = [0, 0];
  for (let last: string | null = '0'; last !== null;) {
    const { rows }: { rows: { last: string | null; live: number; ended: number }[] } = await pool.query(SWEEP_PAGE, [
      last,
      pageSize,
      WINDOW_RETENTION_SECONDS,
    ]);
    ({ last } = rows[0]!);
    live += rows[0]!.live;
    ended += rows[0]!.ended;
  }
  return { live, ended };
}
