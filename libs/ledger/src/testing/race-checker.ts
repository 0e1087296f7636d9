import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { RacePlan } from './race-plan';
import type { RaceSignature } from './race-worker';

/** The checker takes limits from the plan and not from the ledger's rows, so that it does not rely on the ledger. */
const OVERRUNS = `
  SELECT key AS what, (reserved + spent)::text AS found FROM ledger.budgets
   WHERE reserved + spent > CASE WHEN key LIKE '%/wei' THEN $1::numeric WHEN key LIKE '%/count' THEN $2
                                 WHEN key LIKE '%/live' THEN $3 WHEN key LIKE '%/usd' THEN $5 ELSE $4 END
  UNION ALL
  SELECT wallet, held_wei::text FROM ledger.wallets WHERE held_wei > spendable_wei`;

const UNCOVERED = `
  SELECT s.id::text AS what, s.wei::text AS found FROM unnest($1::bigint[], $2::numeric[], $3::bigint[]) s(id, wei, until)
    LEFT JOIN ledger.reservations r ON r.id = s.id AND r.hold_wei >= s.wei AND r.valid_until >= s.until
   WHERE r.id IS NULL`;

/** A violation. */
export interface RaceFinding {
  readonly what: string;
  readonly found: string;
}

/** Budgets and wallets that exceed their limit right now. */
export async function findOverruns(pool: Pool, { limits }: RacePlan): Promise<readonly RaceFinding[]> {
  const values = [limits.wei, limits.count, limits.live, limits.liveOfSender, limits.usd];
  return (await pool.query<RaceFinding>(OVERRUNS, values)).rows;
}

/** Signatures that were given without a reservation of at least the same amount and validity. */
export async function findUncovered(pool: Pool, signatures: readonly RaceSignature[]): Promise<readonly RaceFinding[]> {
  const values = [
    signatures.map(({ reservationId }) => reservationId),
    signatures.map(({ prechargeWei }) => prechargeWei),
    signatures.map(({ validUntilSeconds }) => validUntilSeconds),
  ];
  return (await pool.query<RaceFinding>(UNCOVERED, values)).rows;
}

/**
 * Looks for overruns again and again, each time in another committed state, until `work` is done. It runs `between`
 * between two looks.
 */
export async function watchOverruns(
  pool: Pool,
  plan: RacePlan,
  work: Promise<void>,
  between: (looks: number) => Promise<void>,
): Promise<readonly RaceFinding[]> {
  const findings: RaceFinding[] = [];
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  for (let looks = 1; !isDone; looks++) {
    findings.push(...(await findOverruns(pool, plan)));
    await between(looks);
    await sleep(3);
  }
  await done;
  return findings;
}
