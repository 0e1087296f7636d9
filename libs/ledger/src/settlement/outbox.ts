import type { SponsorshipEvent } from '@paymaster/messaging';
import { fromStored } from '../gateway/stored-event';
import type { Database } from './database';

/** An event that is to be published, under its id in the outbox. */
export interface OutboxEvent {
  readonly id: string;
  readonly event: SponsorshipEvent;
}

/**
 * The events that were written with the ledger's changes and have to reach the event stream. Delivers at least once.
 */
export interface Outbox {
  /**
   * Claims the oldest events that are neither published nor claimed. The caller has them for `claimMs`; if it dies,
   * another publisher gets them afterwards. With one publisher the order is exact, with several nearly.
   */
  takeUnpublished(request: { limit: number; claimMs?: number }): Promise<readonly OutboxEvent[]>;
  /** Marks events as published; call it after the stream's acknowledgement. */
  markPublished(ids: readonly string[]): Promise<void>;
  /**
   * Releases the claim on events that could not be published, so that the next attempt need not wait for the claim's
   * end.
   */
  release(ids: readonly string[]): Promise<void>;
  /** Marks all events since that time as unpublished, for a stream that lost them. @returns how many events */
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

/** The outbox in ledger.outbox. It never looks for "id above the last id", because rows become visible out of order. */
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
    // One time for all events of a batch: their order is that of their ids, whatever the order in which their rows are
    // written.
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
    // In ascending order of id, so that the loop ends although other processes publish meanwhile.
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

/** The columns override the event's own fields, because the publisher makes subject and message id from the columns. */
function toEvent(row: OutboxRow): SponsorshipEvent {
  return {
    ...fromStored(row.payload),
    kind: row.kind,
    eventId: row.event_id,
    atMs: row.created_at.getTime(),
    chainId: Number(row.chain_id),
    paymasterId: row.paymaster_id,
  } as SponsorshipEvent;
}
