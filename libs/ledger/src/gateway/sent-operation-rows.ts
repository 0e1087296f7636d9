import { randomUUID } from 'node:crypto';
import { BackgroundRows } from './background-rows';
import type { Database } from './database';
import type { SentChange, SentOperation } from './ledger';
import { toJson } from './to-json';

/** After this time without a sign of life a process counts as ended, and others go on with its operations; seconds. */
const GONE_AFTER_SECONDS = 15;
/** The most rows of one statement, because their operations may be large. */
const BATCH = 50;
/** The most rows and characters that wait while the database is down. */
const MOST = { rows: 5_000, characters: 10_000_000 };
/** A larger operation is not kept, so no other gateway goes on with it when its own ends. */
const LARGEST_CHARACTERS = 100_000;

interface Row {
  readonly eventId: string;
  readonly change: SentChange;
}

const ALIVE = `
  alive AS (
    INSERT INTO ledger.followers (id, seen_at) VALUES ($1::uuid, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
  )`;

/**
 * There is one row for each operation. The row of a landed operation is deleted, and the row of an operation that was
 * given up stays without its operation. The event goes to the paymaster of the reservation, because a client may send
 * an operation with the key of another paymaster.
 */
const WRITE = {
  name: 'ledger-sent',
  text: `
  WITH ${ALIVE},
  asked AS MATERIALIZED (
    SELECT c.*, r.id AS reservation_id, r.paymaster_id AS owner, r.mode
      FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::text[],
                  $10::numeric[], $11::bigint[], $12::bigint[], $13::jsonb[], $14::text[], $15::jsonb[])
             WITH ORDINALITY AS c (event_id, state, chain_id, user_op_hash, paymaster_id, contract, wallet, sender,
                                   nonce, since_block, valid_until, bundlers, operation, event, place)
      LEFT JOIN ledger.sent_operations s ON s.chain_id = c.chain_id AND s.user_op_hash = c.user_op_hash
      LEFT JOIN LATERAL (
        SELECT o.id FROM ledger.wallets w JOIN ledger.reservations o ON o.wallet_id = w.id
         WHERE s.reservation_id IS NULL AND w.chain_id = c.chain_id AND w.contract = c.contract AND w.wallet = c.wallet
           AND o.sender = c.sender AND o.nonce = c.nonce AND o.closed_at IS NULL AND o.paymaster_id IS NOT NULL
         ORDER BY (o.paymaster_id = c.paymaster_id) DESC, o.id LIMIT 1) open ON true
      LEFT JOIN ledger.reservations r ON r.id = coalesce(s.reservation_id, open.id)
  ),
  taken AS (
    INSERT INTO ledger.sent_operations AS s
      (chain_id, user_op_hash, paymaster_id, reservation_id, follower, bundlers, since_block, valid_until, operation)
    SELECT chain_id, user_op_hash, paymaster_id, reservation_id, $1::uuid,
           ARRAY (SELECT jsonb_array_elements_text(bundlers)), since_block, valid_until, operation
      FROM asked WHERE state = 'sent' AND operation IS NOT NULL
    ON CONFLICT (chain_id, user_op_hash) DO UPDATE
      SET follower = excluded.follower, bundlers = excluded.bundlers, operation = excluded.operation, ended_at = NULL
  ),
  given_up AS (
    UPDATE ledger.sent_operations AS s SET operation = NULL, ended_at = clock_timestamp()
      FROM asked a
     WHERE a.state = 'dropped' AND s.chain_id = a.chain_id AND s.user_op_hash = a.user_op_hash AND s.ended_at IS NULL
  ),
  gone AS (
    DELETE FROM ledger.sent_operations AS s USING asked a
     WHERE a.state IN ('landed', 'unknown') AND s.chain_id = a.chain_id AND s.user_op_hash = a.user_op_hash
  )
  INSERT INTO ledger.outbox (event_id, kind, chain_id, paymaster_id, payload)
  SELECT event_id, state, chain_id, owner,
         event || jsonb_build_object('paymasterId', owner, 'reservationId', reservation_id::text, 'mode', mode)
    FROM asked WHERE owner IS NOT NULL AND event IS NOT NULL ORDER BY place
  ON CONFLICT (event_id) WHERE kind <> 'granted' DO NOTHING`,
};

const TAKE_OVER = {
  name: 'ledger-take-over',
  text: `
  WITH ${ALIVE},
  ended AS MATERIALIZED (
    SELECT id FROM ledger.followers
     WHERE seen_at < clock_timestamp() - interval '${GONE_AFTER_SECONDS} seconds' AND id <> $1::uuid
  ),
  forgotten AS (
    DELETE FROM ledger.followers AS f USING ended e
     WHERE f.id = e.id AND f.seen_at < clock_timestamp() - interval '1 hour'
       AND NOT EXISTS (SELECT FROM ledger.sent_operations s WHERE s.follower = f.id AND s.ended_at IS NULL)
  ),
  free AS (
    SELECT s.chain_id, s.user_op_hash FROM ledger.sent_operations s JOIN ended e ON e.id = s.follower
     WHERE s.ended_at IS NULL AND s.chain_id = ANY ($2::bigint[])
     ORDER BY s.valid_until LIMIT $3 FOR UPDATE OF s SKIP LOCKED
  )
  UPDATE ledger.sent_operations AS s SET follower = $1::uuid FROM free f
   WHERE s.chain_id = f.chain_id AND s.user_op_hash = f.user_op_hash
  RETURNING s.chain_id::int AS "chainId", s.user_op_hash AS "userOpHash", s.paymaster_id AS "paymasterId", s.bundlers,
            s.since_block::text AS "sinceBlock", s.valid_until::int AS "validUntilSeconds", s.operation`,
};

/**
 * Two minutes after the signature's end every process gives an operation up. So an older row, which its process lost,
 * does not count as followed.
 */
const FIND = {
  name: 'ledger-find-sent',
  text: `SELECT ended_at IS NULL AS "isFollowed" FROM ledger.sent_operations
          WHERE chain_id = $1::bigint AND user_op_hash = $2::text
            AND (ended_at IS NOT NULL OR valid_until + 135 > extract(epoch FROM now()))`,
};

const LEAVE = {
  name: 'ledger-leave',
  text: `UPDATE ledger.followers SET seen_at = '-infinity' WHERE id = $1::uuid`,
};

/** The operations that this gateway process sent to bundlers, and those that ended processes have left behind. */
export class SentOperationRows {
  private readonly follower = randomUUID();
  private readonly rows: BackgroundRows<Row>;

  constructor(private readonly database: Pick<Database, 'query'>) {
    this.rows = new BackgroundRows({
      insert: (rows) => database.query({ ...WRITE, values: [this.follower, ...valuesOf(rows)] }),
      batch: BATCH,
      most: MOST,
      sizeOf: ({ change }) => change.operation?.length ?? 0,
      keyOf: ({ change }) => `${change.chainId}:${change.userOpHash}`,
    });
  }

  /** How many changes were dropped since the start. */
  get dropped(): number {
    return this.rows.dropped;
  }

  record(change: SentChange): void {
    this.rows.add({ eventId: randomUUID(), change });
  }

  async takeOver(chainIds: readonly number[], most: number): Promise<readonly SentOperation[]> {
    const values = [this.follower, chainIds, most];
    const rows = await this.database.query<Omit<SentOperation, 'sinceBlock'> & { sinceBlock: string }>({
      ...TAKE_OVER,
      values,
    });
    return rows.map((row) => ({ ...row, sinceBlock: BigInt(row.sinceBlock) }));
  }

  async find(chainId: number, userOpHash: string): Promise<'followed' | 'dropped' | undefined> {
    const [row] = await this.database.query<{ isFollowed: boolean }>({ ...FIND, values: [chainId, userOpHash] });
    if (!row) return undefined;
    return row.isFollowed ? 'followed' : 'dropped';
  }

  /** Writes the rows that wait, and leaves the operations to other processes. */
  async close(): Promise<void> {
    await this.rows.close();
    await this.database.query({ ...LEAVE, values: [this.follower] }).catch(() => undefined);
  }
}

/** The columns of {@link WRITE}. */
function valuesOf(rows: readonly Row[]): unknown[] {
  const changes = rows.map(({ change }) => change);
  return [
    rows.map(({ eventId }) => eventId),
    changes.map(({ state }) => state),
    changes.map(({ chainId }) => chainId),
    changes.map(({ userOpHash }) => userOpHash),
    changes.map(({ paymasterId }) => paymasterId),
    changes.map(({ contract }) => contract),
    changes.map(({ wallet }) => wallet),
    changes.map(({ sender }) => sender),
    changes.map(({ nonce }) => nonce.toString()),
    changes.map(({ sinceBlock }) => sinceBlock.toString()),
    changes.map(({ validUntilSeconds }) => validUntilSeconds),
    changes.map(({ bundlers }) => JSON.stringify(bundlers)),
    changes.map(({ operation = null }) => (operation && operation.length <= LARGEST_CHARACTERS ? operation : null)),
    changes.map((change) => eventOf(change)),
  ];
}

/** The event without the fields of the reservation. Null: no event is written. */
function eventOf(change: SentChange): string | null {
  const { state, chainId, userOpHash, sender, nonce, entryPointVersion, bundler, message } = change;
  if (state === 'landed' || state === 'unknown') return null;
  const operation = { sender, nonce: nonce.toString(), entryPointVersion, userOpHash };
  return toJson({ kind: state, chainId, ...operation, bundler, message });
}
