import { requireCursor } from './cursors';
import type { Queries } from './database';
import type { Lease, Retention } from './settlement-books';

const ROWS_PER_STEP = 10_000;
/** The revert breaker looks back over a much shorter time, and the brake and the bounds on strangers over an hour. */
const OUTCOME_MINUTES = 24 * 60;
/** Days for which landings are kept: the seven days of the bounds on strangers, and the day that has begun. */
const KNOWN_DAYS = 8;
const DAY_SECONDS = 86_400;

/** Deletes old rows, a bounded number per call. @returns true when nothing is left to delete */
export async function pruneStep(
  queries: Queries,
  { lease, keep }: { readonly lease: Lease; readonly keep: Retention },
): Promise<boolean> {
  const { chainId } = lease;
  const { final } = await requireCursor(queries, chainId);
  const blocksBelow = final.number - BigInt(keep.blocks);
  const oldestMinute = Math.floor(final.timeSeconds / 60) - OUTCOME_MINUTES;
  const statements: readonly (readonly [string, readonly unknown[]])[] = [
    [
      `DELETE FROM ledger.chain_events WHERE (chain_id, block_number, log_index) IN (
         SELECT chain_id, block_number, log_index FROM ledger.chain_events
         WHERE chain_id = $1 AND block_number < $2 ORDER BY block_number LIMIT ${ROWS_PER_STEP})`,
      [chainId, blocksBelow],
    ],
    [
      `DELETE FROM ledger.blocks WHERE (chain_id, number) IN (
         SELECT chain_id, number FROM ledger.blocks
         WHERE chain_id = $1 AND number < $2 ORDER BY number LIMIT ${ROWS_PER_STEP})`,
      [chainId, blocksBelow],
    ],
    [
      `DELETE FROM ledger.outbox WHERE id IN (
         SELECT id FROM ledger.outbox
         WHERE created_at < now() - $2 * interval '1 day' AND chain_id = $1 AND published_at IS NOT NULL
         ORDER BY created_at LIMIT ${ROWS_PER_STEP})`,
      [chainId, keep.outboxDays],
    ],
    [
      // Status methods answer for an hour that an operation was given up. A row that no process follows is deleted a
      // day after the operation could land.
      `DELETE FROM ledger.sent_operations WHERE (chain_id, user_op_hash) IN (
         SELECT chain_id, user_op_hash FROM ledger.sent_operations
         WHERE chain_id = $1 AND (ended_at < now() - interval '1 hour' OR valid_until < $2) LIMIT ${ROWS_PER_STEP})`,
      [chainId, final.timeSeconds - DAY_SECONDS],
    ],
    [`DELETE FROM ledger.outcomes WHERE chain_id = $1 AND minute < $2`, [chainId, oldestMinute]],
    [
      `DELETE FROM ledger.losses AS l USING ledger.wallets AS w
       WHERE w.id = l.wallet_id AND w.chain_id = $1 AND l.minute < $2`,
      [chainId, oldestMinute],
    ],
    [
      `DELETE FROM ledger.network_uses AS u USING ledger.wallets AS w
       WHERE w.id = u.wallet_id AND w.chain_id = $1 AND u.minute < $2`,
      [chainId, oldestMinute],
    ],
    [
      `DELETE FROM ledger.network_days AS d USING ledger.wallets AS w
       WHERE w.id = d.wallet_id AND w.chain_id = $1 AND d.day < $2`,
      [chainId, Math.floor(final.timeSeconds / DAY_SECONDS) - KNOWN_DAYS],
    ],
    [
      `DELETE FROM ledger.senders AS s USING ledger.wallets AS w
       WHERE w.id = s.wallet_id AND w.chain_id = $1 AND s.landed_at < $2`,
      [chainId, final.timeSeconds - KNOWN_DAYS * DAY_SECONDS],
    ],
    [
      // A network's strikes are forgotten after a day.
      `DELETE FROM ledger.networks AS n USING ledger.wallets AS w
       WHERE w.id = n.wallet_id AND w.chain_id = $1
         AND n.held_wei = 0 AND n.expected_wei = 0 AND n.excess_wei = 0
         AND coalesce(n.struck_at, 0) < $2 AND coalesce(n.told_hour, 0) * 3600 < $2
         AND NOT EXISTS (SELECT FROM ledger.network_uses AS u WHERE u.wallet_id = n.wallet_id AND u.network = n.network)
         AND NOT EXISTS (SELECT FROM ledger.network_days AS d WHERE d.wallet_id = n.wallet_id AND d.network = n.network)`,
      [chainId, final.timeSeconds - DAY_SECONDS],
    ],
  ];
  let isDone = true;
  for (const [statement, values] of statements) {
    const { rowCount } = await queries.query(statement, [...values]);
    if (rowCount === ROWS_PER_STEP) isDone = false;
  }
  return isDone;
}
