import type { SponsorshipEventKind } from '@paymaster/messaging';
import type { Pool } from 'pg';

/** An event that Postgres knows to be in the stream. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly kind: SponsorshipEventKind;
  readonly paymasterId: string | null;
}

/** What the outbox looks like as a whole; reads only. */
export class OutboxState {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** Events that are not in the stream yet. */
  async unpublished(): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>(
      'SELECT count(*) FROM ledger.outbox WHERE published_at IS NULL',
    );
    return Number(rows[0]?.count ?? 0);
  }

  /**
   * The newest event that was sent; undefined when none was since then. What is published without a claim was dropped
   * instead, and is not looked for in the stream.
   */
  async lastPublished(since: Date): Promise<PublishedEvent | undefined> {
    const { rows } = await this.pool.query<PublishedEvent>(
      `SELECT event_id AS "eventId", kind, paymaster_id AS "paymasterId" FROM ledger.outbox
       WHERE published_at IS NOT NULL AND claimed_until IS NOT NULL AND created_at >= $1 ORDER BY id DESC LIMIT 1`,
      [since],
    );
    return rows[0];
  }

  /**
   * Whether an event was published later than another one, or with it and is the newer: then it may follow it in the
   * stream.
   */
  async mayFollow(eventId: string, otherId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ follows: boolean }>(
      `SELECT (a.published_at, a.id) >= (b.published_at, b.id) AS follows FROM ledger.outbox a, ledger.outbox b
       WHERE a.event_id = $1 AND b.event_id = $2`,
      [eventId, otherId],
    );
    return rows[0]?.follows ?? false;
  }
}
