import { moveHead, requireBlock, requireCursor } from './cursors';
import type { Queries } from './database';
import { landedEvent } from './operation-events';
import { countOutcomes } from './outcomes';
import { walletChanges, writeEvents } from './outbox-writer';
import { RESERVATION_COLUMNS, type ReservationRow } from './reservation-rows';
import type { Lease } from './settlement-books';
import { lockWallets, recomputeSpendable, saveWallets } from './wallet-rows';

/**
 * Undoes the blocks above `number`. Operations that landed in them are open again with their holds, and whether they
 * paid is forgotten.
 */
export async function unwindBlocks(
  queries: Queries,
  { lease, number }: { readonly lease: Lease; readonly number: bigint },
): Promise<void> {
  const { chainId } = lease;
  const cursor = await requireCursor(queries, chainId);
  if (number >= cursor.head.number) return;
  if (number < cursor.final.number) {
    throw new Error(`Block ${cursor.final.number} of chain ${chainId} is final: nothing below it is undone.`);
  }
  const head = await requireBlock(queries, { chainId, number });
  const touched = await touchedWallets(queries, { chainId, number });
  const wallets = await lockWallets(queries, [...touched.keys()]);

  const landed = await landedAbove(queries, { chainId, number });
  const operations = landed.map((row) => ({ row, timeSeconds: Number(row.time) }));
  await countOutcomes(queries, { chainId, sign: -1, operations });
  await reopen(queries, landed);
  await queries.query(`DELETE FROM ledger.chain_events WHERE chain_id = $1 AND block_number > $2`, [chainId, number]);
  await queries.query(`DELETE FROM ledger.blocks WHERE chain_id = $1 AND number > $2`, [chainId, number]);

  const changed = [...wallets.values()].filter(({ id }) => touched.get(id)?.isPoorer);
  await recomputeSpendable(queries, { chainId, wallets: changed, finalNumber: cursor.final.number });
  await saveWallets(queries, changed);
  const withdrawing = changed.filter(({ id }) => touched.get(id)?.isWithdrawing);
  await writeEvents(queries, [
    ...landed.map((row) => landedEvent('unlanded', { row, chainId, wallets })),
    ...walletChanges(withdrawing, { chainId, block: head, is: 'headAgain' }),
  ]);
  await moveHead(queries, lease, head);
}

/** Wallets with events above a block, and whether the walk of `spendableWei` contains these events. */
async function touchedWallets(queries: Queries, { chainId, number }: { chainId: number; number: bigint }) {
  const { rows } = await queries.query<{ wallet_id: string; poorer: boolean; withdrawing: boolean }>(
    `SELECT wallet_id, bool_or(walk_wei IS NOT NULL) AS poorer,
       bool_or(walk_wei IS NOT NULL AND kind <> 'operation') AS withdrawing
     FROM ledger.chain_events WHERE chain_id = $1 AND block_number > $2 AND wallet_id IS NOT NULL
     GROUP BY wallet_id`,
    [chainId, number],
  );
  return new Map(rows.map((row) => [row.wallet_id, { isPoorer: row.poorer, isWithdrawing: row.withdrawing }]));
}

/** Newest first. */
async function landedAbove(queries: Queries, { chainId, number }: { chainId: number; number: bigint }) {
  const { rows } = await queries.query<ReservationRow & { readonly time: string }>(
    `SELECT ${RESERVATION_COLUMNS}, b.time
     FROM ledger.reservations AS r JOIN ledger.blocks AS b ON b.chain_id = r.chain_id AND b.number = r.block_number
     WHERE r.state = 'landed' AND r.chain_id = $1 AND r.block_number > $2
     ORDER BY r.block_number DESC, r.log_index DESC`,
    [chainId, number],
  );
  return rows;
}

/** Operations that landed without a reservation have no hold, so they are closed instead. */
async function reopen(queries: Queries, landed: readonly ReservationRow[]): Promise<void> {
  const ids = (isReserved: boolean) =>
    landed.filter((row) => (row.paymaster_id !== null) === isReserved).map(({ id }) => id);
  await queries.query(
    `UPDATE ledger.reservations
     SET state = 'open', is_counted = true, user_op_hash = NULL, transaction_hash = NULL, block_number = NULL, block_hash = NULL,
         log_index = NULL, charged_wei = NULL, actual_gas_cost_wei = NULL, success = NULL
     WHERE id = ANY($1)`,
    [ids(true)],
  );
  await queries.query('DELETE FROM ledger.unpaid_operations WHERE reservation_id = ANY($1)', [ids(true)]);
  await queries.query(
    `UPDATE ledger.reservations SET state = 'voided', void_reason = 'undone', closed_at = now() WHERE id = ANY($1)`,
    [ids(false)],
  );
}
