import { closeReservations } from './close-reservations';
import { requireCursor } from './cursors';
import type { Queries } from './database';
import { writeEvents } from './outbox-writer';
import { RESERVATION_COLUMNS, type ReservationRow } from './reservation-rows';
import type { Lease } from './settlement-books';
import { lockWallets, saveWallets } from './wallet-rows';

const RESERVATIONS_PER_STEP = 500;

/**
 * Voids open reservations that no block can contain any more: the final block is later than the last signature's
 * `validUntil`. Only the chain's clock counts, because the EntryPoint compares `validUntil` with the block's time.
 *
 * @returns true when no such reservation is left
 */
export async function voidNextExpired(queries: Queries, lease: Lease): Promise<boolean> {
  const { chainId } = lease;
  const { final } = await requireCursor(queries, chainId);
  const candidates = await queries.query<{ id: string; wallet_id: string }>(
    `SELECT id, wallet_id FROM ledger.reservations
     WHERE state = 'open' AND chain_id = $1 AND valid_until < $2 ORDER BY valid_until LIMIT ${RESERVATIONS_PER_STEP}`,
    [chainId, final.timeSeconds],
  );
  if (candidates.rows.length === 0) return true;
  const wallets = await lockWallets(queries, [...new Set(candidates.rows.map(({ wallet_id }) => wallet_id))]);
  // Reads them again under the locks, because a new signature may have prolonged a reservation.
  const { rows: voided } = await queries.query<ReservationRow>(
    `SELECT ${RESERVATION_COLUMNS} FROM ledger.reservations AS r
     WHERE r.id = ANY($1) AND r.state = 'open' AND r.valid_until < $2 ORDER BY r.id`,
    [candidates.rows.map(({ id }) => id), final.timeSeconds],
  );
  const events = await closeReservations(queries, {
    ...{ chainId, wallets, voided },
    settled: [],
    because: 'expired',
    blockNumber: final.number,
  });
  await saveWallets(queries, [...wallets.values()]);
  await writeEvents(queries, events);
  return candidates.rows.length < RESERVATIONS_PER_STEP;
}
