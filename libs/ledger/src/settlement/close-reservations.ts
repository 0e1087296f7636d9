import type { Queries } from './database';
import { landedEvent, voidedEvent } from './operation-events';
import type { NewEvent } from './outbox-writer';
import type { ReservationRow } from './reservation-rows';
import type { LockedWallets } from './wallet-rows';

export interface Closing {
  readonly chainId: number;
  /** The wallets of all these reservations; their balances and holds are changed in memory. */
  readonly wallets: LockedWallets;
  /** Reservations that landed and whose block is final now. */
  readonly settled: readonly ReservationRow[];
  /** Open reservations that end without their operation. */
  readonly voided: readonly ReservationRow[];
  readonly because: 'expired' | 'nonceUsed';
  /** The final block that closes them. */
  readonly blockNumber: bigint;
}

/**
 * Closes reservations: in their budgets and wallets, their cost becomes spent and the rest of their holds is released.
 *
 * @returns the events of the closed reservations
 */
export async function closeReservations(queries: Queries, closing: Closing): Promise<readonly NewEvent[]> {
  const { chainId, wallets, settled, voided, because } = closing;
  if (settled.length + voided.length === 0) return [];
  await settleHolds(queries, closing);
  await moveBudgets(queries, closing);
  await closeRows(queries, closing);
  await enterWallets(queries, closing);
  for (const row of [...settled, ...voided]) {
    const wallet = wallets.get(row.wallet_id);
    if (!wallet) throw new Error(`Reservation ${row.id} was to be closed without its wallet's lock.`);
    wallet.heldWei -= BigInt(row.hold_wei);
    wallet.balanceWei -= BigInt(row.charged_wei ?? 0);
  }
  return [
    ...settled.map((row) => landedEvent('settled', { row, chainId, wallets })),
    ...voided.map((row) => voidedEvent(because, { row, chainId, wallets })),
  ];
}

/**
 * How much of each hold becomes spent. It is never more than the hold, so that no budget can exceed its limit. If an
 * operation did not pay, its exposure becomes spent: in the sender's budget, and in the budgets of all tokens in which
 * it may have been signed.
 */
async function settleHolds(queries: Queries, { settled, voided }: Closing): Promise<void> {
  const ids = [...settled, ...voided].map(({ id }) => id);
  await queries.query(
    `SELECT FROM ledger.budgets
     WHERE id IN (SELECT budget_id FROM ledger.holds WHERE reservation_id = ANY($1)) ORDER BY key FOR NO KEY UPDATE`,
    [ids],
  );
  await queries.query(
    `UPDATE ledger.holds AS h
     SET spent = least(h.amount, CASE h.unit
       WHEN 'wei' THEN r.charged_wei
       WHEN 'count' THEN 1
       WHEN 'exposureWei' THEN CASE WHEN EXISTS (
         SELECT FROM ledger.unpaid_operations AS u WHERE u.reservation_id = r.id
           AND (u.budgets IS NULL OR b.key = ANY (u.budgets))) THEN h.amount ELSE 0 END
       ELSE div(r.charged_wei * h.micro_usd_per_native + 999999999999999999, 1000000000000000000) END)
     FROM ledger.reservations AS r, ledger.budgets AS b
     WHERE h.reservation_id = ANY($1) AND r.id = h.reservation_id AND b.id = h.budget_id AND NOT b.live`,
    [settled.map(({ id }) => id)],
  );
}

/**
 * Ends the holds in the budgets: a part becomes spent, the rest is released. Each of these movements gets an entry.
 *
 * Live claims cap how many signatures may be live at a time. Their budgets get no entries, and their holds are deleted
 * here, so that nothing refers to such a budget when `sweepBudgets` deletes it.
 */
async function moveBudgets(queries: Queries, { settled, voided, blockNumber }: Closing): Promise<void> {
  await queries.query(
    `WITH closed AS (
       SELECT h.budget_id, h.reservation_id, h.amount, coalesce(h.spent, 0) AS spent, b.live
       FROM ledger.holds AS h JOIN ledger.budgets AS b ON b.id = h.budget_id WHERE h.reservation_id = ANY($1)
     ), moved AS (
       UPDATE ledger.budgets AS b SET reserved = b.reserved - s.amount, spent = b.spent + s.spent
       FROM (SELECT budget_id, sum(amount) AS amount, sum(spent) AS spent FROM closed GROUP BY budget_id) AS s
       WHERE b.id = s.budget_id
     ), forgotten AS (
       DELETE FROM ledger.holds AS h USING closed AS c
       WHERE c.live AND h.reservation_id = c.reservation_id AND h.budget_id = c.budget_id
     )
     INSERT INTO ledger.entries (kind, budget_id, reservation_id, debit, credit, amount, block_number)
     SELECT m.kind, c.budget_id, c.reservation_id, 'reserved', m.credit, m.amount, $2
     FROM closed AS c
     CROSS JOIN LATERAL (VALUES ('settled', 'spent', c.spent), ('released', 'available', c.amount - c.spent))
       AS m (kind, credit, amount)
     WHERE NOT c.live AND m.amount > 0`,
    [[...settled, ...voided].map(({ id }) => id), blockNumber],
  );
}

async function closeRows(queries: Queries, { settled, voided, because }: Closing): Promise<void> {
  await queries.query(`UPDATE ledger.reservations SET state = 'settled', closed_at = now() WHERE id = ANY($1)`, [
    settled.map(({ id }) => id),
  ]);
  await queries.query(
    `UPDATE ledger.reservations SET state = 'voided', void_reason = $2, closed_at = now() WHERE id = ANY($1)`,
    [voided.map(({ id }) => id), because],
  );
}

/** A charge beyond its hold (impossible by contract, or without a reservation) is taken from what was available. */
async function enterWallets(queries: Queries, { settled, voided, blockNumber }: Closing): Promise<void> {
  await queries.query(
    `INSERT INTO ledger.entries (kind, wallet_id, reservation_id, debit, credit, amount, block_number)
     SELECT m.kind, r.wallet_id, r.id, m.debit, m.credit, m.amount, $2
     FROM ledger.reservations AS r
     CROSS JOIN LATERAL (VALUES
       ('settled', 'reserved', 'spent', least(coalesce(r.charged_wei, 0), r.hold_wei)),
       ('settled', 'available', 'spent', r.charged_wei - r.hold_wei),
       ('released', 'reserved', 'available', r.hold_wei - coalesce(r.charged_wei, 0))) AS m (kind, debit, credit, amount)
     WHERE r.id = ANY($1) AND m.amount > 0`,
    [[...settled, ...voided].map(({ id }) => id), blockNumber],
  );
}
