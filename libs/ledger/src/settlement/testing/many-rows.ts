import type { Pool } from 'pg';
import { CHAIN_ID, GENESIS } from './books-under-test';
import { CONTRACT, ENTRY_POINT } from './reserve-request';

/** How many reservations {@link insertManyRows} makes. The other tables get more rows. */
export const MANY = 20_000;

/**
 * A ledger of some age: reservations of 1,000 wallets, nine in ten closed, with their holds, budgets, entries, events
 * and outbox. The books do not add up.
 */
export async function insertManyRows(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO ledger.wallets (chain_id, contract, wallet, balance_wei, spendable_wei, held_wei)
     SELECT $1, $2, '0x' || lpad(to_hex(n), 40, '0'), 1e18, 1e18, 1e17 FROM generate_series(1, 1000) AS n`,
    [CHAIN_ID, CONTRACT],
  );
  await pool.query(
    `INSERT INTO ledger.budgets (key, paymaster_id, live, limit_amount, policy_version, reserved)
     SELECT 'old ' || n, gen_random_uuid(), false, 1e20, 1, 1e19 FROM generate_series(1, ${MANY / 5}) AS n`,
  );
  await pool.query(
    `INSERT INTO ledger.reservations (wallet_id, chain_id, entry_point, entry_point_version, paymaster_id, mode, sender,
       nonce, hold_wei, valid_until, state, closed_at, user_op_hash, charged_wei, block_number)
     SELECT (SELECT min(id) FROM ledger.wallets) + n % 1000, $1, $2, '0.7', gen_random_uuid(), 'sponsored',
       '0x' || lpad(to_hex(n % 5000), 40, '0'), n, 1000, $3 + n % 600,
       CASE WHEN n % 10 = 0 THEN 'open' ELSE 'settled' END, CASE WHEN n % 10 = 0 THEN NULL ELSE now() END,
       CASE WHEN n % 10 = 0 THEN NULL ELSE 'old ' || n END, CASE WHEN n % 10 = 0 THEN NULL ELSE 1 END, $4 - n / 10
     FROM generate_series(1, ${MANY}) AS n`,
    [CHAIN_ID, ENTRY_POINT, GENESIS.timeSeconds + 10_000, GENESIS.number],
  );
  await pool.query(
    `INSERT INTO ledger.holds (reservation_id, budget_id, unit, amount)
     SELECT r.id, (SELECT min(id) FROM ledger.budgets) + r.id % ${MANY / 5}, 'wei', 1000 FROM ledger.reservations AS r`,
  );
  await pool.query(
    `INSERT INTO ledger.entries (kind, wallet_id, reservation_id, debit, credit, amount)
     SELECT 'reserved', wallet_id, id, 'available', 'reserved', 1000 FROM ledger.reservations`,
  );
  await pool.query(
    `INSERT INTO ledger.chain_events (chain_id, block_number, block_hash, log_index, transaction_hash, contract, kind,
       wallet_id, payload, walk_wei)
     SELECT $1, n / 10 - ${MANY / 5}, 'old', n % 10, 'old', $2, 'withdrawalRequested',
       (SELECT min(id) FROM ledger.wallets) + n % 1000, '{"amountWei": "1"}', 1 FROM generate_series(1, ${MANY}) AS n`,
    [CHAIN_ID, CONTRACT],
  );
  await pool.query(
    `INSERT INTO ledger.blocks (chain_id, number, hash, parent_hash, time)
     SELECT $1, n - ${MANY / 5}, 'old', 'old', n FROM generate_series(1, ${MANY / 5}) AS n`,
    [CHAIN_ID],
  );
  await pool.query(
    `INSERT INTO ledger.outbox (kind, chain_id, payload, created_at, published_at)
     SELECT 'walletChanged', $1, '{}', now() - n * interval '1 minute', now() FROM generate_series(1, ${MANY}) AS n`,
    [CHAIN_ID],
  );
  await pool.query('ANALYZE');
}
