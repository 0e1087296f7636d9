import { newestBlockUpTo, requireCursor } from './cursors';
import type { Queries } from './database';
import type { Lease } from './settlement-books';
import { lockWallets } from './wallet-rows';

/**
 * How many blocks the head has to be past a signature's validity until it counts no longer. An operation whose block
 * is undone can land only in a block whose time is within its validity, and reorganisations are rarely that deep. If one
 * is, the operation counts again from when it lands.
 */
const BLOCKS_PAST = 5n;
/** The most strikes that are counted. With so many, a network holds one operation at a time. */
export const MAX_STRIKES = 10;
const RESERVATIONS_PER_STEP = 500;

/**
 * Ends what open reservations count for, in the brake and for their client networks, once the head is
 * {@link BLOCKS_PAST} blocks past their validity. Their holds in the wallet and in limits remain until the validity has
 * passed in a final block. Each network whose signatures ended like this gets a strike, once for each step.
 *
 * @returns true when no such reservation is left
 */
export async function endCounting(queries: Queries, { chainId }: Lease): Promise<boolean> {
  const { head, final } = await requireCursor(queries, chainId);
  const past = await newestBlockUpTo(queries, { chainId, number: head.number - BLOCKS_PAST });
  const timeSeconds = Math.max(final.timeSeconds, past?.timeSeconds ?? 0);
  const candidates = await queries.query<{ id: string; wallet_id: string }>(
    `SELECT id, wallet_id FROM ledger.reservations
     WHERE state = 'open' AND is_counted AND chain_id = $1 AND valid_until < $2
     ORDER BY valid_until LIMIT ${RESERVATIONS_PER_STEP}`,
    [chainId, timeSeconds],
  );
  if (candidates.rows.length === 0) return true;
  await lockWallets(queries, [...new Set(candidates.rows.map(({ wallet_id }) => wallet_id))]);
  // Decides again under the locks, because a new signature may have prolonged a reservation.
  const { rows: ended } = await queries.query<{ wallet_id: string; network: string | null }>(
    `UPDATE ledger.reservations SET is_counted = false
     WHERE id = ANY($1) AND state = 'open' AND is_counted AND valid_until < $2 RETURNING wallet_id, network`,
    [candidates.rows.map(({ id }) => id), timeSeconds],
  );
  await queries.query(
    `UPDATE ledger.networks AS n SET strikes = least(n.strikes + 1, ${MAX_STRIKES}), struck_at = $3
     FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::text[])) AS o (wallet_id, network)
     WHERE n.wallet_id = o.wallet_id AND n.network = o.network`,
    [ended.map(({ wallet_id }) => wallet_id), ended.map(({ network }) => network), head.timeSeconds],
  );
  return candidates.rows.length < RESERVATIONS_PER_STEP;
}
