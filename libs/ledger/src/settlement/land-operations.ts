import type { OperationEvent } from '@paymaster/domain';
import { exposureKeys } from '../gateway/exposure-claims';
import type { Queries } from './database';
import type { PlacedEvent } from './event-rows';
import { matchReservation, type MatchCandidate } from './match-reservation';
import { RESERVATION_COLUMNS, type ReservationRow } from './reservation-rows';
import { walletKey } from './wallet-rows';

interface Landing {
  readonly chainId: number;
  readonly operations: readonly PlacedEvent<OperationEvent>[];
  /** By {@link walletKey}; all of them are locked. */
  readonly walletIds: ReadonlyMap<string, string>;
}

/** The operations, from {@link landingRows}. */
const LANDING_TYPES = `(reservation_id bigint, wallet_id bigint, entry_point text, entry_point_version text,
  sender text, nonce numeric, user_op_hash text, transaction_hash text, block_number bigint, block_hash text,
  log_index int, charged_wei numeric, actual_gas_cost_wei numeric, success boolean)`;

/**
 * Marks the reservation of each operation as landed. For an operation without a reservation it makes one without a
 * paymaster.
 *
 * @returns the rows by operation hash
 */
export async function landOperations(queries: Queries, landing: Landing): Promise<ReadonlyMap<string, ReservationRow>> {
  if (landing.operations.length === 0) return new Map();
  const rows = landingRows(landing, await matchReservations(queries, landing));
  const reserved = await markLanded(
    queries,
    rows.filter((row) => row.reservation_id !== undefined),
  );
  await endLiveHolds(queries, reserved);
  await noteUnpaid(queries, landing, reserved);
  const landed = [
    ...reserved,
    ...(await insertUnreserved(queries, {
      chainId: landing.chainId,
      rows: rows.filter((row) => row.reservation_id === undefined),
    })),
  ];
  // Their events have no rows yet.
  const told = new Map(landing.operations.map(({ event }) => [event.userOpHash, toldBy(event)]));
  return new Map(landed.map((row) => [row.user_op_hash ?? '', { ...row, told: told.get(row.user_op_hash!) ?? null }]));
}

function toldBy({ paidInToken: paid, actualGasUsed }: OperationEvent): ReservationRow['told'] {
  return {
    gasUsed: actualGasUsed?.toString() ?? null,
    paid: paid === undefined ? null : { inToken: paid && { token: paid.token, amount: paid.amount.toString() } },
  };
}

/** Ids of reservations by operation hash. */
async function matchReservations(
  queries: Queries,
  { chainId, operations, walletIds }: Landing,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await queries.query<{ user_op_hash: string; id: string; hold_wei: string; is_exposed: boolean }>(
    `SELECT o.user_op_hash, r.id, r.hold_wei, o.is_unpaid AND ${IS_EXPOSED} AS is_exposed
     FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::numeric[], $7::boolean[])
       AS o (user_op_hash, wallet_id, entry_point, sender, nonce, is_unpaid)
     JOIN ledger.reservations AS r
       ON r.chain_id = $1 AND r.entry_point = o.entry_point AND r.sender = o.sender AND r.nonce = o.nonce
       AND r.wallet_id = o.wallet_id AND r.closed_at IS NULL AND r.state = 'open'`,
    [
      chainId,
      operations.map(({ event }) => event.userOpHash),
      operations.map(({ event }) => walletIds.get(walletKey(event))),
      operations.map(({ event }) => event.entryPoint),
      operations.map(({ event }) => event.sender),
      operations.map(({ event }) => event.nonce),
      operations.map(({ event }) => event.unpaid !== undefined),
    ],
  );
  const candidates = new Map<string, MatchCandidate[]>();
  for (const { user_op_hash, id, hold_wei, is_exposed: isExposed } of rows) {
    const known = candidates.get(user_op_hash) ?? [];
    candidates.set(user_op_hash, [...known, { id, holdWei: BigInt(hold_wei), isExposed }]);
  }
  return new Map(
    operations.flatMap(({ event: { userOpHash, prechargeWei, unpaid } }) => {
      const isUnpaid = unpaid !== undefined;
      const match = matchReservation(prechargeWei, candidates.get(userOpHash) ?? [], { isUnpaid });
      return match ? [[userOpHash, match.id] as const] : [];
    }),
  );
}

function landingRows({ operations, walletIds }: Landing, matches: ReadonlyMap<string, string>) {
  return operations.map(({ block, event }) => ({
    reservation_id: matches.get(event.userOpHash),
    wallet_id: walletIds.get(walletKey(event)),
    entry_point: event.entryPoint,
    entry_point_version: event.entryPointVersion,
    sender: event.sender,
    nonce: event.nonce.toString(),
    user_op_hash: event.userOpHash,
    transaction_hash: event.transactionHash,
    block_number: block.number.toString(),
    block_hash: block.hash,
    log_index: event.logIndex,
    charged_wei: event.chargedWei.toString(),
    actual_gas_cost_wei: event.actualGasCostWei.toString(),
    success: event.success,
  }));
}

async function markLanded(queries: Queries, rows: readonly object[]): Promise<readonly ReservationRow[]> {
  if (rows.length === 0) return [];
  const updated = await queries.query<ReservationRow>(
    `UPDATE ledger.reservations AS r
     SET state = 'landed', user_op_hash = o.user_op_hash, transaction_hash = o.transaction_hash,
         block_number = o.block_number, block_hash = o.block_hash, log_index = o.log_index,
         charged_wei = o.charged_wei, actual_gas_cost_wei = o.actual_gas_cost_wei, success = o.success
     FROM jsonb_to_recordset($1::jsonb) AS o ${LANDING_TYPES}
     WHERE r.id = o.reservation_id
     RETURNING ${RESERVATION_COLUMNS}`,
    [JSON.stringify(rows)],
  );
  return updated.rows;
}

/**
 * Releases the holds of live claims: an operation that has landed is no longer a live signature, and its sender must
 * not have to wait until the block is final. When a block is undone, these holds are not restored: the caps on live
 * signatures only bound strangers, and limits hold without them.
 */
async function endLiveHolds(queries: Queries, landed: readonly ReservationRow[]): Promise<void> {
  if (landed.length === 0) return;
  const ids = landed.map(({ id }) => id);
  await queries.query(
    `SELECT FROM ledger.budgets
     WHERE live AND id IN (SELECT budget_id FROM ledger.holds WHERE reservation_id = ANY($1))
     ORDER BY key FOR NO KEY UPDATE`,
    [ids],
  );
  await queries.query(
    `WITH ended AS (
       DELETE FROM ledger.holds AS h USING ledger.budgets AS b
       WHERE h.reservation_id = ANY($1) AND b.id = h.budget_id AND b.live RETURNING h.budget_id, h.amount
     )
     UPDATE ledger.budgets AS b SET reserved = b.reserved - e.amount
     FROM (SELECT budget_id, sum(amount) AS amount FROM ended GROUP BY budget_id) AS e WHERE b.id = e.budget_id`,
    [ids],
  );
}

/**
 * Notes operations that should have paid in a token and did not. Their exposure becomes spent when they are final, and
 * a sender that took the tokens away is blocked from now on. The chain may show the same events for operations that
 * were not signed for such a payment; these are ignored.
 */
async function noteUnpaid(
  queries: Queries,
  { chainId, operations }: Landing,
  landed: readonly ReservationRow[],
): Promise<void> {
  const ids = new Map(landed.map(({ user_op_hash, id }) => [user_op_hash, id]));
  const unpaid = operations.flatMap(({ event: { unpaid: said, userOpHash, wallet, sender } }) => {
    const id = ids.get(userOpHash);
    if (!said || id === undefined) return [];
    const { token, isTaken } = said;
    return [
      {
        id,
        wallet,
        sender,
        is_taken: isTaken,
        budgets: token ? exposureKeys({ chainId, wallet, token, sender }) : null,
      },
    ];
  });
  if (unpaid.length === 0) return;
  await queries.query(
    `INSERT INTO ledger.unpaid_operations (reservation_id, chain_id, wallet, sender, budgets, is_taken)
     SELECT r.id, $1, r.wallet, r.sender, r.budgets, r.is_taken
     FROM jsonb_to_recordset($2::jsonb) AS r (id bigint, wallet text, sender text, budgets text[], is_taken boolean)
     WHERE ${IS_EXPOSED}`,
    [chainId, JSON.stringify(unpaid)],
  );
}

/** SQL over a reservation `r`. */
const IS_EXPOSED = `EXISTS (SELECT FROM ledger.holds AS h WHERE h.reservation_id = r.id AND h.unit = 'exposureWei')`;

/** The chain does not show in which mode the client asked, so `sponsored` is a guess. */
async function insertUnreserved(
  queries: Queries,
  { chainId, rows }: { chainId: number; rows: readonly object[] },
): Promise<readonly ReservationRow[]> {
  if (rows.length === 0) return [];
  const inserted = await queries.query<ReservationRow>(
    `INSERT INTO ledger.reservations AS r
       (chain_id, wallet_id, entry_point, entry_point_version, mode, sender, nonce, hold_wei, valid_until, state,
        user_op_hash, transaction_hash, block_number, block_hash, log_index, charged_wei, actual_gas_cost_wei, success)
     SELECT $1, o.wallet_id, o.entry_point, o.entry_point_version, 'sponsored', o.sender, o.nonce, 0, 0, 'landed',
       o.user_op_hash, o.transaction_hash, o.block_number, o.block_hash, o.log_index, o.charged_wei,
       o.actual_gas_cost_wei, o.success
     FROM jsonb_to_recordset($2::jsonb) AS o ${LANDING_TYPES}
     RETURNING ${RESERVATION_COLUMNS}`,
    [chainId, JSON.stringify(rows)],
  );
  return inserted.rows;
}
