import type { Pool } from 'pg';

const CLOSE = `
  WITH closed AS (
    UPDATE ledger.reservations SET state = 'voided', void_reason = 'expired', closed_at = now() WHERE id = ANY($1)
    RETURNING id, wallet_id, hold_wei
  ), of_wallet AS (
    UPDATE ledger.wallets w SET held_wei = w.held_wei - c.wei
      FROM (SELECT wallet_id, sum(hold_wei) AS wei FROM closed GROUP BY 1) c WHERE w.id = c.wallet_id
  ), held AS (
    SELECT h.budget_id, h.reservation_id, h.amount FROM ledger.holds h WHERE h.reservation_id = ANY($1)
  ), of_budgets AS (
    UPDATE ledger.budgets b SET reserved = b.reserved - h.amount
      FROM (SELECT budget_id, sum(amount) AS amount FROM held GROUP BY 1) h WHERE b.id = h.budget_id
  )
  INSERT INTO ledger.entries (kind, wallet_id, budget_id, reservation_id, debit, credit, amount)
  SELECT 'released', wallet_id, NULL::bigint, id, 'reserved', 'available', hold_wei FROM closed WHERE hold_wei > 0
  UNION ALL
  SELECT 'released', NULL, h.budget_id, h.reservation_id, 'reserved', 'available', h.amount
    FROM held h JOIN ledger.budgets b ON b.id = h.budget_id AND NOT b.live`;

/**
 * Voids up to `count` open reservations of every wallet, so that a race without settlement does not end when the limits
 * are reached. It locks in the usual order: the wallet, then budgets by key.
 */
export async function releaseSome(pool: Pool, count: number): Promise<void> {
  const { rows: wallets } = await pool.query<{ id: string }>('SELECT id FROM ledger.wallets ORDER BY id');
  for (const wallet of wallets) {
    const client = await pool.connect();
    let isBroken = true;
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM ledger.wallets WHERE id = $1 FOR NO KEY UPDATE', [wallet.id]);
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM ledger.reservations WHERE wallet_id = $1 AND state = 'open' ORDER BY random() LIMIT $2`,
        [wallet.id, count],
      );
      const ids = rows.map(({ id }) => id);
      await client.query(
        `SELECT 1 FROM ledger.budgets WHERE id IN (SELECT budget_id FROM ledger.holds WHERE reservation_id = ANY($1))
          ORDER BY key FOR NO KEY UPDATE`,
        [ids],
      );
      await client.query(CLOSE, [ids]);
      await client.query('COMMIT');
      isBroken = false;
    } finally {
      client.release(isBroken);
    }
  }
}
