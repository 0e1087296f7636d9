import type { Queries } from './database';
import { countNetworkUses, noteSenders, type LandedOperation } from './network-uses';

/**
 * Adds operations, and what they cost each wallet, to the counts per paymaster and minute of chain time (block time
 * divided by 60), and to those of their client networks; or subtracts them again. Losses from before the owner's last
 * release were already removed, so they are not subtracted again.
 */
export async function countOutcomes(
  queries: Queries,
  {
    chainId,
    sign,
    operations,
  }: {
    readonly chainId: number;
    readonly sign: 1 | -1;
    readonly operations: readonly LandedOperation[];
  },
): Promise<void> {
  const counted = operations.filter(({ row }) => row.paymaster_id !== null);
  if (counted.length === 0) return;
  await queries.query(
    `INSERT INTO ledger.outcomes AS o (paymaster_id, chain_id, minute, landed, reverted)
     SELECT n.paymaster_id, $1, n.time / 60, $2 * count(*), $2 * count(*) FILTER (WHERE NOT n.success)
     FROM unnest($3::uuid[], $4::bigint[], $5::boolean[]) AS n (paymaster_id, time, success)
     GROUP BY 1, 3 ORDER BY 1, 3
     ON CONFLICT (paymaster_id, chain_id, minute) DO UPDATE
       SET landed = o.landed + excluded.landed, reverted = o.reverted + excluded.reverted`,
    [
      chainId,
      sign,
      counted.map(({ row }) => row.paymaster_id),
      counted.map(({ timeSeconds }) => timeSeconds),
      counted.map(({ row }) => row.success),
    ],
  );
  const lost = [
    counted.map(({ row }) => row.wallet_id),
    counted.map(({ row }) => row.paymaster_id),
    counted.map(({ timeSeconds }) => timeSeconds),
    counted.map(({ row }) => row.charged_wei),
  ];
  await queries.query(sign === 1 ? ADD_LOSSES : TAKE_LOSSES_OFF, lost);
  await countNetworkUses(queries, { sign, operations: counted });
  if (sign === 1) await noteSenders(queries, counted);
}

/** One row per wallet, paymaster and minute. */
const LOSSES = `
  SELECT wallet_id, paymaster_id, time / 60 AS minute, sum(charged) AS lost_wei
  FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::numeric[]) AS n (wallet_id, paymaster_id, time, charged)
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
const ADD_LOSSES = `
  INSERT INTO ledger.losses AS l (wallet_id, paymaster_id, minute, lost_wei) ${LOSSES}
  ON CONFLICT (wallet_id, paymaster_id, minute) DO UPDATE SET lost_wei = l.lost_wei + excluded.lost_wei`;
const TAKE_LOSSES_OFF = `
  UPDATE ledger.losses AS l SET lost_wei = greatest(l.lost_wei - n.lost_wei, 0) FROM (${LOSSES}) AS n
  WHERE l.wallet_id = n.wallet_id AND l.paymaster_id = n.paymaster_id AND l.minute = n.minute`;
