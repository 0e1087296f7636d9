import type { Queries } from './database';
import type { ReservationRow } from './reservation-rows';

/** Counts operations per paymaster and minute of chain time (block time divided by 60), or takes them off again. */
export async function countOutcomes(
  queries: Queries,
  {
    chainId,
    sign,
    operations,
  }: {
    readonly chainId: number;
    readonly sign: 1 | -1;
    readonly operations: readonly { readonly row: ReservationRow; readonly timeSeconds: number }[];
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
}
