import type { SponsorshipEvent } from '@paymaster/messaging';
import type { Database } from './database';

/** An event that is to be published, under its id in the outbox. */
export interface OutboxEvent {
  readonly id: string;
  readonly event: SponsorshipEvent;
}

/** What was written beside the ledger's changes, on its way to the event stream. Delivers at least once. */
export interface Outbox {
  /**
   * The oldest events that are neither published nor being published by somebody. They are the caller's for
   * `claimMs`; whoever died with them loses them then. Order holds with one publisher, across several nearly.
   */
  takeUnpublished(request: { limit: number; claimMs?: number }): Promise<readonly OutboxEvent[]>;
  /** After the stream's acknowledgement. */
  markPublished(ids: readonly string[]): Promise<void>;
  /** Gives back what could not be published, so that the next attempt need not wait for the claim's end. */
  release(ids: readonly string[]): Promise<void>;
  /** Publishes everything since then again, for a stream that lost it. @returns how many events */
  republish(since: Date): Promise<number>;
}

const DEFAULT_CLAIM_MS = 30_000;
const REPUBLISHED_PER_STEP = 5_000;

interface OutboxRow {
  readonly id: string;
  readonly event_id: string;
  readonly kind: string;
  readonly chain_id: string;
  readonly paymaster_id: string | null;
  readonly payload: object;
  readonly created_at: Date;
}

/** The outbox in ledger.outbox. Never asks for "id above the last one": ids become visible in another order. */
export class PostgresOutbox implements Outbox {
  constructor(private readonly database: Database) {}

  async takeUnpublished(request: { limit: number; claimMs?: number }): Promise<readonly OutboxEvent[]> {
    const { rows } = await this.database.write((queries) =>
      queries.query<OutboxRow>(
        `WITH free AS MATERIALIZED (
           SELECT id FROM ledger.outbox
           WHERE published_at IS NULL AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
           ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
         )
         UPDATE ledger.outbox AS o SET claimed_until = clock_timestamp() + $2 * interval '1 millisecond'
         FROM free WHERE o.id = free.id
         RETURNING o.id, o.event_id, o.kind, o.chain_id, o.paymaster_id, o.payload, o.created_at`,
        [request.limit, request.claimMs ?? DEFAULT_CLAIM_MS],
      ),
    );
    return rows
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      .map((row) => ({ id: row.id, event: toEvent(row) }));
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    // One time for all: those of one batch have the order of their ids, in whatever order their rows are written.
    await this.database.write((queries) =>
      queries.query(`UPDATE ledger.outbox SET published_at = statement_timestamp() WHERE id = ANY($1)`, [ids]),
    );
  }

  async release(ids: readonly string[]): Promise<void> {
    await this.database.write((queries) =>
      queries.query(`UPDATE ledger.outbox SET claimed_until = NULL WHERE id = ANY($1)`, [ids]),
    );
  }

  async republish(since: Date): Promise<number> {
    let count = 0;
    // Upwards by id, so that it ends although others publish meanwhile.
    for (let last: string | null = '0'; last !== null;) {
      const { rows } = await this.database.write((queries) =>
        queries.query<{ last: string | null; changed: string }>(
          `WITH step AS MATERIALIZED (
             SELECT id FROM ledger.outbox WHERE created_at >= $1 AND published_at IS NOT NULL AND id > $2
             ORDER BY id LIMIT ${REPUBLISHED_PER_STEP}
           ), again AS (
             UPDATE ledger.outbox AS o SET published_at = NULL, claimed_until = NULL FROM step WHERE o.id = step.id
           )
           SELECT max(id) AS last, count(*) AS changed FROM step`,
          [since, last],
        ),
      );
      count += Number(rows[0]?.changed ?? 0);
      last = rows[0]?.last ?? null;
    }
    return count;
  }
}

/** The columns win: they are what the publisher's subject and message id are made of. */
function toEvent(row: OutboxRow): SponsorshipEvent {
  return {
    ...row.payload,
    kind: row.kind,
    eventId: row.event_id,
    atMs: row.created_at.getTime(),
    chainId: Number(row.chain_id),
    paymasterId: row.paymaster_id,
  } as SponsorshipEvent;
}
