import type { Queries } from './database';
import type { ReservationRow } from './reservation-rows';

/** An operation that landed, and the time of its block. */
export interface LandedOperation {
  readonly row: ReservationRow;
  readonly timeSeconds: number;
}

/**
 * Adds what operations cost to the counts of their client networks, per minute and day of chain time; or subtracts it
 * again. A landing gives a network back the room that expired signatures took.
 */
export async function countNetworkUses(
  queries: Queries,
  { sign, operations }: { readonly sign: 1 | -1; readonly operations: readonly LandedOperation[] },
): Promise<void> {
  const counted = operations.filter(({ row }) => row.network !== null);
  if (counted.length === 0) return;
  const of = [
    counted.map(({ row }) => row.wallet_id),
    counted.map(({ row }) => row.network),
    counted.map(({ timeSeconds }) => timeSeconds),
  ];
  const billed = [
    counted.map(({ row }) => row.charged_wei),
    counted.map(({ row }) => excessBilled(row).toString()),
    counted.map(({ row }) => row.is_new_network),
  ];
  await queries.query(sign === 1 ? ADD_USES : TAKE_USES_OFF, [...of, ...billed]);
  await queries.query(
    `INSERT INTO ledger.network_days AS d (wallet_id, network, day, landed)
     SELECT wallet_id, network, time / 86400, $4 * count(*)
     FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (wallet_id, network, time)
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (wallet_id, network, day) DO UPDATE SET landed = d.landed + excluded.landed`,
    [...of, sign],
  );
  if (sign === -1) return;
  await queries.query(
    `UPDATE ledger.networks AS n SET strikes = 0
     FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::text[])) AS o (wallet_id, network)
     WHERE n.wallet_id = o.wallet_id AND n.network = o.network AND n.strikes > 0`,
    of.slice(0, 2),
  );
}

/** Notes when senders last landed an operation. It is not taken back when a block is undone. */
export async function noteSenders(queries: Queries, operations: readonly LandedOperation[]): Promise<void> {
  await queries.query(
    `INSERT INTO ledger.senders AS s (wallet_id, sender, landed_at)
     SELECT wallet_id, sender, max(time) FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (wallet_id, sender, time)
     GROUP BY 1, 2 ORDER BY 1, 2
     ON CONFLICT (wallet_id, sender) DO UPDATE SET landed_at = greatest(s.landed_at, excluded.landed_at)`,
    [
      operations.map(({ row }) => row.wallet_id),
      operations.map(({ row }) => row.sender),
      operations.map(({ timeSeconds }) => timeSeconds),
    ],
  );
}

/** What may have been billed above the gateway's own answer: limits that were not used up prove nothing of it. */
function excessBilled({ charged_wei, excess_wei }: ReservationRow): bigint {
  const [excessWei, chargedWei] = [BigInt(excess_wei), BigInt(charged_wei ?? 0)];
  return chargedWei < excessWei ? chargedWei : excessWei;
}

/** One row per wallet, network and minute. Operations of new networks count in the row of all of them too. */
const USES = `
  SELECT wallet_id, c.network, time / 60 AS minute, sum(charged) AS cost_wei, sum(excess) AS excess_wei
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::numeric[], $5::numeric[], $6::boolean[])
    AS n (wallet_id, network, time, charged, excess, is_new)
  CROSS JOIN LATERAL (VALUES (n.network), (CASE WHEN n.is_new THEN '' END)) AS c (network)
  WHERE c.network IS NOT NULL
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
const ADD_USES = `
  INSERT INTO ledger.network_uses AS u (wallet_id, network, minute, cost_wei, excess_wei) ${USES}
  ON CONFLICT (wallet_id, network, minute) DO UPDATE
    SET cost_wei = u.cost_wei + excluded.cost_wei, excess_wei = u.excess_wei + excluded.excess_wei`;
const TAKE_USES_OFF = `
  UPDATE ledger.network_uses AS u
  SET cost_wei = greatest(u.cost_wei - n.cost_wei, 0), excess_wei = greatest(u.excess_wei - n.excess_wei, 0)
  FROM (${USES}) AS n
  WHERE u.wallet_id = n.wallet_id AND u.network = n.network AND u.minute = n.minute`;
