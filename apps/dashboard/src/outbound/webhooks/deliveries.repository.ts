import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Delivery, DeliveryStatus } from './webhook';
import type { EventMessage } from './event-message';

/** A delivery that one process may try now, with all it needs. */
export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly url: string;
  /** This attempt included. */
  readonly attempts: number;
}

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
const CLAIM_SECONDS = 30;

/** The queue and the log of deliveries are one table. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Queues a message for every webhook that wants it; a second time changes nothing. */
  async enqueue(
    paymasterId: string,
    { event, eventId, type, body }: EventMessage,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO dashboard.webhook_deliveries (webhook_id, event_id, type, body)
       SELECT id, $2, $3, $4 FROM dashboard.webhooks WHERE paymaster_id = $1 AND active AND $5 = ANY (events)
       ON CONFLICT (webhook_id, event_id) DO NOTHING`,
      [paymasterId, eventId, type, body, event],
    );
  }

  /** Queues a message for one webhook. */
  async enqueueFor(webhookId: string, { eventId, type, body }: Omit<EventMessage, 'event'>): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO dashboard.webhook_deliveries (webhook_id, event_id, type, body) VALUES ($1, $2, $3, $4)
       ON CONFLICT (webhook_id, event_id) DO NOTHING`,
      [webhookId, eventId, type, body],
    );
  }

  /**
   * Webhooks that something is due for, those that are being served left out. Each account has its share, in random
   * order: whoever has many that hang would otherwise take every turn.
   */
  async dueWebhooks(request: { limit: number; perAccount: number; served: readonly string[] }): Promise<string[]> {
    const { limit, perAccount, served } = request;
    const rows = (await this.dataSource.query(
      `WITH busy AS (
         SELECT p.account_id, count(*) AS webhooks
           FROM dashboard.webhooks w JOIN dashboard.paymasters p ON p.id = w.paymaster_id
          WHERE w.id = ANY ($3::uuid[]) GROUP BY p.account_id
       ), due AS (
         SELECT w.id, p.account_id, row_number() OVER (PARTITION BY p.account_id ORDER BY random()) AS place
           FROM dashboard.webhooks w JOIN dashboard.paymasters p ON p.id = w.paymaster_id
          WHERE w.active AND cardinality(w.events) > 0 AND NOT w.id = ANY ($3::uuid[])
            AND EXISTS (SELECT FROM dashboard.webhook_deliveries d
                         WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= now())
       )
       SELECT due.id FROM due LEFT JOIN busy USING (account_id)
        WHERE due.place + coalesce(busy.webhooks, 0) <= $2 ORDER BY random() LIMIT $1`,
      [limit, perAccount, served],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
  }

  /**
   * Takes the next due delivery of a webhook; no other process gets it meanwhile. What is told of the wallet and of the
   * paymaster comes first: whoever has the public key can have more operations told of than a receiver can read.
   */
  async claim(webhookId: string): Promise<DueDelivery | undefined> {
    const [rows] = (await this.dataSource.query(
      `UPDATE dashboard.webhook_deliveries d
          SET attempts = d.attempts + 1, next_attempt_at = now() + $2 * interval '1 second'
         FROM dashboard.webhooks w
        WHERE w.id = d.webhook_id AND d.id = coalesce(
              (SELECT id FROM dashboard.webhook_deliveries
                WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= now()
                  AND (type LIKE 'wallet.%' OR type LIKE 'paymaster.%')
                ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED),
              (SELECT id FROM dashboard.webhook_deliveries
                WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= now()
                ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED))
        RETURNING d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", d.type, d.body, d.attempts, w.url`,
      [webhookId, CLAIM_SECONDS],
    )) as [DueDelivery[], number];
    return rows[0];
  }

  async record({ id, status, retryInMs, lastStatus, lastAnswer, lastProblem }: Attempt): Promise<void> {
    await this.dataSource.query(
      `UPDATE dashboard.webhook_deliveries
          SET status = $2, next_attempt_at = now() + $3 * interval '1 millisecond', last_status = $4, last_answer = $5,
              last_problem = $6, ended_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END
        WHERE id = $1`,
      [id, status, retryInMs, lastStatus, lastAnswer, lastProblem],
    );
  }

  /** The log of a webhook, newest first. */
  async log(query: { webhookId: string; status?: DeliveryStatus; limit: number }): Promise<Delivery[]> {
    const { webhookId, status = null, limit } = query;
    return this.dataSource.query(
      `SELECT id, webhook_id AS "webhookId", event_id AS "eventId", type, status, attempts,
              next_attempt_at AS "nextAttemptAt", last_status AS "lastStatus", last_answer AS "lastAnswer",
              last_problem AS "lastProblem", created_at AS "createdAt", ended_at AS "endedAt"
         FROM dashboard.webhook_deliveries WHERE webhook_id = $1 AND ($2::text IS NULL OR status = $2)
        ORDER BY created_at DESC, id DESC LIMIT $3`,
      [webhookId, status, limit],
    );
  }

  /** Sends one ended delivery again, or all dead ones. @returns how many */
  async replay(query: { webhookId: string; deliveryId?: string }): Promise<number> {
    const [, count] = (await this.dataSource.query(
      `UPDATE dashboard.webhook_deliveries
          SET status = 'pending', attempts = 0, next_attempt_at = now(), ended_at = NULL
        WHERE webhook_id = $1 AND CASE WHEN $2::uuid IS NULL THEN status = 'dead' ELSE id = $2 AND status <> 'pending' END`,
      [query.webhookId, query.deliveryId ?? null],
    )) as [unknown[], number];
    return count;
  }
}
