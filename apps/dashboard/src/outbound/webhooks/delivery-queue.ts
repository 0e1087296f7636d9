import type { DataSource } from 'typeorm';
import { queryPrepared } from '../../platform/database/query-prepared';
import type { Delivery, DeliveryStatus } from './webhook';

/** What became of an attempt. */
export interface Attempt {
  readonly id: string;
  readonly status: DeliveryStatus;
  /** Until the next one, where the status is pending; milliseconds. */
  readonly retryInMs: number;
  readonly lastStatus: number | null;
  readonly lastAnswer: string | null;
  readonly lastProblem: string | null;
}

/** An attempt that takes longer than this is taken for lost with its process. */
export const CLAIM_SECONDS = 30;

/** The tables of one kind of receivers. */
interface Tables {
  readonly deliveries: string;
  readonly receivers: string;
  /** The column of a delivery that names its receiver. */
  readonly receiver: string;
  /** SQL: whether the receiver `w` is told anything. */
  readonly isServed: string;
  /** Columns of the log besides those that all kinds have. */
  readonly logged?: string;
}

/** Queue and log of deliveries, which are one table for each kind of receivers. */
export abstract class DeliveryQueue<Logged extends Delivery = Delivery> {
  protected constructor(
    protected readonly dataSource: DataSource,
    private readonly tables: Tables,
  ) {}

  /**
   * Receivers that something is due for, those that are being served left out. Each account has its share, in random
   * order: whoever has many that hang would otherwise take every turn.
   */
  async dueReceivers(request: { limit: number; perAccount: number; served: readonly string[] }): Promise<string[]> {
    const { limit, perAccount, served } = request;
    const { deliveries, receivers, receiver, isServed } = this.tables;
    const rows = await queryPrepared<{ id: string }>(this.dataSource, {
      name: `due ${deliveries}`,
      text: `WITH busy AS (
         SELECT p.account_id, count(*) AS receivers
           FROM dashboard.${receivers} w JOIN dashboard.paymasters p ON p.id = w.paymaster_id
          WHERE w.id = ANY ($3::uuid[]) GROUP BY p.account_id
       ), due AS (
         SELECT w.id, p.account_id, row_number() OVER (PARTITION BY p.account_id ORDER BY random()) AS place
           FROM dashboard.${receivers} w JOIN dashboard.paymasters p ON p.id = w.paymaster_id
          WHERE ${isServed} AND NOT w.id = ANY ($3::uuid[])
            AND EXISTS (SELECT FROM dashboard.${deliveries} d
                         WHERE d.${receiver} = w.id AND d.status = 'pending' AND d.next_attempt_at <= now())
       )
       SELECT due.id FROM due LEFT JOIN busy USING (account_id)
        WHERE due.place + coalesce(busy.receivers, 0) <= $2 ORDER BY random() LIMIT $1`,
      values: [limit, perAccount, served],
    });
    return rows.map(({ id }) => id);
  }

  async record({ id, status, retryInMs, lastStatus, lastAnswer, lastProblem }: Attempt): Promise<void> {
    await this.dataSource.query(
      `UPDATE dashboard.${this.tables.deliveries}
          SET status = $2, next_attempt_at = now() + $3 * interval '1 millisecond', last_status = $4, last_answer = $5,
              last_problem = $6, ended_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END
        WHERE id = $1`,
      [id, status, retryInMs, lastStatus, lastAnswer, lastProblem],
    );
  }

  /** The log of a receiver, newest first. */
  async log(query: { receiverId: string; status?: DeliveryStatus; limit: number }): Promise<Logged[]> {
    const { receiverId, status = null, limit } = query;
    const { deliveries, receiver, logged = '' } = this.tables;
    return this.dataSource.query(
      `SELECT id, event_id AS "eventId", type, status, attempts,
              next_attempt_at AS "nextAttemptAt", last_status AS "lastStatus", last_answer AS "lastAnswer",
              last_problem AS "lastProblem", created_at AS "createdAt", ended_at AS "endedAt"${logged}
         FROM dashboard.${deliveries} WHERE ${receiver} = $1 AND ($2::text IS NULL OR status = $2)
        ORDER BY created_at DESC, id DESC LIMIT $3`,
      [receiverId, status, limit],
    );
  }
}
