import type { Pool } from 'pg';
import { EXACT, EXACT_LIMIT } from './race-world';
import type { OutboxReplay } from './replay-outbox';
import type { RaceFinding } from './watch-limits';

/**
 * Entries move money from debit to credit. The wallet's balances must equal the sums of its accounts, and nothing may
 * be held any more.
 */
const WALLETS = `
  SELECT 'wallet ' || w.id AS what,
         format('has %s, holds %s; by its entries has %s, holds %s', w.balance_wei, w.held_wei, m.has, m.holds) AS found
    FROM ledger.wallets w
    LEFT JOIN LATERAL (
         SELECT coalesce(sum(CASE WHEN account IN ('available', 'reserved') THEN change END), 0) AS has,
                coalesce(sum(CASE WHEN account = 'reserved' THEN change END), 0) AS holds
           FROM (SELECT credit AS account, amount AS change FROM ledger.entries WHERE wallet_id = w.id
                 UNION ALL SELECT debit, -amount FROM ledger.entries WHERE wallet_id = w.id) moves) m ON true
   WHERE (w.balance_wei, w.held_wei, 0::numeric) IS DISTINCT FROM (m.has, m.holds, w.held_wei)`;

const BUDGETS = `
  WITH moves AS (
    SELECT budget_id, credit AS account, amount AS change FROM ledger.entries WHERE budget_id IS NOT NULL
    UNION ALL SELECT budget_id, debit, -amount FROM ledger.entries WHERE budget_id IS NOT NULL
  ), sums AS (
    SELECT budget_id, sum(CASE account WHEN 'reserved' THEN change END) AS reserved,
           sum(CASE account WHEN 'spent' THEN change END) AS spent FROM moves GROUP BY budget_id
  )
  SELECT 'budget ' || b.key AS what,
         format('%s reserved, %s spent; by its entries %s and %s', b.reserved, b.spent, s.reserved, s.spent) AS found
    FROM ledger.budgets b LEFT JOIN sums s ON s.budget_id = b.id
   WHERE b.reserved <> 0 OR b.reserved <> coalesce(s.reserved, 0) OR b.spent <> coalesce(s.spent, 0)`;

/** How each reservation ended, and its events. */
const ENDS = `
  SELECT 'reservation ' || r.id AS what, format('is %s; told: %s granted, %s settled, %s voided', r.state,
         coalesce(t.granted, 0), coalesce(t.settled, 0), coalesce(t.voided, 0)) AS found
    FROM ledger.reservations r
    LEFT JOIN (SELECT (payload ->> 'reservationId')::bigint AS id, count(*) FILTER (WHERE kind = 'granted') AS granted,
                      count(*) FILTER (WHERE kind = 'settled') AS settled,
                      count(*) FILTER (WHERE kind = 'voided') AS voided
                 FROM ledger.outbox WHERE kind NOT IN ('walletChanged', 'networkNearRoom') GROUP BY 1) t ON t.id = r.id
   WHERE r.closed_at IS NULL OR r.paymaster_id IS NULL OR r.state NOT IN ('settled', 'voided')
      OR coalesce(t.granted, 0) < 1 OR coalesce(t.settled, 0) <> (r.state = 'settled')::int
      OR coalesce(t.voided, 0) <> (r.state = 'voided')::int`;

/** Everything is closed, so no network counts for anything. */
const NETWORKS = `
  SELECT 'network ' || network || ' of wallet ' || wallet_id AS what,
         format('holds %s, will cost %s', held_wei, expected_wei) AS found
    FROM ledger.networks WHERE held_wei <> 0 OR expected_wei <> 0 OR excess_wei <> 0`;

const ALARMS = `SELECT 'reconciliation ' || id AS what, findings::text AS found FROM ledger.reconciliations WHERE NOT agrees`;

const EXACTLY = `
  SELECT 'reservations of the budget for ${EXACT_LIMIT}' AS what, count(*)::text AS found FROM ledger.reservations
   WHERE paymaster_id = '${EXACT.id}' HAVING count(*) <> ${EXACT_LIMIT}`;

/** Checks the tables alone, after the race has ended. */
export async function checkBooks(pool: Pool): Promise<readonly RaceFinding[]> {
  const findings: RaceFinding[] = [];
  for (const query of [WALLETS, BUDGETS, ENDS, NETWORKS, ALARMS, EXACTLY]) {
    findings.push(...(await pool.query<RaceFinding>(query)).rows);
  }
  return findings;
}

/** Looks for differences between the tables and the events. Unused caps may have been deleted. */
export async function checkTables(pool: Pool, replay: OutboxReplay): Promise<readonly RaceFinding[]> {
  const findings: RaceFinding[] = [];
  const compare = (what: string, told: string | undefined, found: string | undefined) => {
    if (told !== found) findings.push({ what, found: `${found}, told: ${told}` });
  };
  const budgets = await pool.query<{ key: string; reserved: string; spent: string; live: boolean }>(
    'SELECT key, reserved, spent, live FROM ledger.budgets',
  );
  const rows = new Map(budgets.rows.map((row) => [row.key, `${row.reserved} ${row.spent}`]));
  for (const { key } of budgets.rows) if (!replay.budgets.has(key)) compare(`budget ${key}`, undefined, rows.get(key));
  for (const [key, { reserved, spent }] of replay.budgets) {
    const isForgotten = key.split('/')[1]?.startsWith('live') && !rows.has(key);
    if (!isForgotten) compare(`budget ${key}`, `${reserved} ${spent}`, rows.get(key));
  }
  const reservations = await pool.query<{ id: string; hold_wei: string; valid_until: string; state: string }>(
    'SELECT id, hold_wei, valid_until, state FROM ledger.reservations',
  );
  compare('reservations', String(replay.reservations.size), String(reservations.rows.length));
  for (const { id, hold_wei, valid_until, state } of reservations.rows) {
    const told = replay.reservations.get(id);
    const words = told && `${told.holdWei} until ${told.validUntilSeconds} ${told.end}`;
    compare(`reservation ${id}`, words, `${hold_wei} until ${valid_until} ${state}`);
  }
  return findings;
}
