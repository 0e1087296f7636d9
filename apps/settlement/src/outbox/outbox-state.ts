import type { SponsorshipEventKind } from '@paymaster/messaging';
import type { Pool } from 'pg';

/** An event that Postgres has marked as sent to the stream. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly kind: SponsorshipEventKind;
  readonly paymasterId: string | null;
}

/** Reads the state of the whole outbox. */
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
   * The newest event that was sent since that time; undefined when no event was sent. Events that were published
   * without a claim were dropped and not sent, so they do not count.
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
   * Whether an event was published later than another event, or in the same batch with a higher id. Then it may follow
   * that event in the stream.
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
