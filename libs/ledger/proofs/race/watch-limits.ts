import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { EXPOSURE_CAPS, limitsOf, POLICIES } from './race-world';

/** A violation. */
export interface RaceFinding {
  readonly what: string;
  readonly found: string;
}

const MAKE_LIMITS = `
  CREATE SCHEMA race;
  CREATE TABLE race.limits (paymaster_id text, kind text, policy int, amount numeric,
    PRIMARY KEY (paymaster_id, kind, policy))`;

/**
 * Finds budgets and wallets that exceed their limit in the current committed state. The limits come from the plan and
 * not from the ledger's rows; the policy version is the one under which the budget last granted. A wallet's holds must
 * fit into its final balance. What a sender may leave unpaid is bounded only by what settlement knew at the time, so it
 * is not checked here. What networks count for is what their open reservations do. Expired holds do not count, because settlement voids them a moment after the block is
 * final.
 */
const OVERRUNS = `
  SELECT 'budget ' || b.key || ' under ' || b.policy_version AS what, (b.reserved + b.spent) || ' of ' || l.amount AS found
    FROM ledger.budgets b
    LEFT JOIN race.limits l ON l.paymaster_id = split_part(b.key, '/', 1) AND l.kind = split_part(b.key, '/', 2)
         AND l.policy = b.policy_version % ${POLICIES}
   WHERE b.reserved + b.spent > 0 AND b.key NOT LIKE 'exposure:%' AND (b.reserved + b.spent <= l.amount) IS NOT TRUE
  UNION ALL
  SELECT 'budget ' || b.key, (b.reserved + b.spent) || ' outstanding'
    FROM ledger.budgets b
   WHERE b.key LIKE 'exposure:%:token:%' AND b.reserved + b.spent > ${EXPOSURE_CAPS.tokenCapWei}
  UNION ALL
  SELECT 'wallet ' || w.id, h.wei || ' of ' || w.balance_wei
    FROM ledger.wallets w
    JOIN (SELECT r.wallet_id, sum(r.hold_wei) AS wei FROM ledger.reservations r JOIN ledger.cursors k USING (chain_id)
           WHERE r.closed_at IS NULL AND (r.state = 'landed' OR r.valid_until >= k.final_time) GROUP BY 1) h
      ON h.wallet_id = w.id
   WHERE h.wei > w.balance_wei
  UNION ALL
  SELECT 'held by wallet ' || w.id, w.held_wei || ', reservations hold ' || coalesce(h.wei, 0)
    FROM ledger.wallets w
    LEFT JOIN (SELECT wallet_id, sum(hold_wei) AS wei FROM ledger.reservations WHERE closed_at IS NULL GROUP BY 1) h
      ON h.wallet_id = w.id
   WHERE w.held_wei <> coalesce(h.wei, 0)
  UNION ALL
  SELECT 'network ' || n.network || ' of wallet ' || n.wallet_id,
         n.held_wei || ' and ' || n.expected_wei || ', reservations ' || coalesce(h.held, 0) || ' and ' || coalesce(h.cost, 0)
    FROM ledger.networks n
    LEFT JOIN (SELECT wallet_id, network, sum(hold_wei) AS held,
                      coalesce(sum(expected_wei) FILTER (WHERE is_counted), 0) AS cost
                 FROM ledger.reservations WHERE state = 'open' GROUP BY 1, 2) h USING (wallet_id, network)
   WHERE n.network <> '' AND (n.held_wei <> coalesce(h.held, 0) OR n.expected_wei <> coalesce(h.cost, 0))`;

/** Writes down the limits of a race, for {@link watchLimits}. */
export async function writeLimits(pool: Pool, seed: number): Promise<void> {
  await pool.query(MAKE_LIMITS);
  await pool.query(
    `INSERT INTO race.limits SELECT * FROM jsonb_to_recordset($1::jsonb)
       AS l ("paymasterId" text, kind text, policy int, amount numeric)`,
    [JSON.stringify(limitsOf(seed))],
  );
}

/** Checks one committed state after the other, until it is told to end. */
export class LimitWatch {
  looks = 0;
  /** How far the books go. */
  headNumber = 0;
  readonly findings: RaceFinding[] = [];

  constructor(private readonly pool: Pool) {}

  async watch(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const startedAt = Date.now();
      this.findings.push(...(await this.pool.query<RaceFinding>(OVERRUNS)).rows);
      const cursors = await this.pool.query<{ head: string }>('SELECT head_number AS head FROM ledger.cursors');
      this.headNumber = Number(cursors.rows[0]?.head ?? 0);
      this.looks++;
      if (isDone()) return;
      // The checks use at most a tenth of the time, to leave the processor to the race.
      await sleep(Math.max(20, 9 * (Date.now() - startedAt)));
    }
  }
}
