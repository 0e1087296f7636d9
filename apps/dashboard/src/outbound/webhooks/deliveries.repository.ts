import { Injectable } from '@nestjs/common';
import type { SponsorshipEvent } from '@paymaster/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { CLAIM_SECONDS, DeliveryQueue } from './delivery-queue';
import { eventMessage, type EventMessage } from './event-message';

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

/** What event webhooks are told. */
@Injectable()
export class DeliveriesRepository extends DeliveryQueue {
  constructor(dataSource: DataSource) {
    super(dataSource, {
      ...{ deliveries: 'webhook_deliveries', receivers: 'webhooks', receiver: 'webhook_id' },
      isServed: 'w.active AND cardinality(w.events) > 0',
    });
  }

  /** Queues an event for every webhook that wants to be told; a second time changes nothing. */
  async enqueueEvent(event: SponsorshipEvent): Promise<void> {
    const message = eventMessage(event);
    if (message && event.paymasterId !== null) await this.enqueue(event.paymasterId, message);
  }

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
