import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLAIM_SECONDS, DeliveryQueue } from '../../outbound/webhooks/delivery-queue';
import type { Delivery } from '../../outbound/webhooks/webhook';
import type { Alert } from './alert';

/** What somebody is told. */
export interface AlertMessage {
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** A sentence for people. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message that one process may try now. */
export interface DueAlert {
  readonly id: string;
  /** {@link AlertMessage} as JSON. */
  readonly body: string;
  /** This attempt included. */
  readonly attempts: number;
  /** What it tells of is not so any more. */
  readonly isOver: boolean;
}

export type LoggedAlert = Delivery & { readonly body: string };

/** What the levels of an alert are by now, by their subjects. */
export type Levels = ReadonlyMap<string, number>;

/** More that are due together are told in further messages. */
const MOST_TOGETHER = 20;

/** What alerts tell, and what they have told. */
@Injectable()
export class AlertDeliveries extends DeliveryQueue<LoggedAlert> {
  constructor(dataSource: DataSource) {
    super(dataSource, {
      ...{ deliveries: 'alert_deliveries', receivers: 'alerts', receiver: 'alert_id' },
      ...{ isServed: 'w.active', logged: ', body' },
    });
  }

  async levelsOf(alertId: string): Promise<Levels> {
    const rows = (await this.dataSource.query(
      `SELECT subject, level FROM dashboard.alert_states WHERE alert_id = $1 AND level > 0`,
      [alertId],
    )) as { subject: string; level: number }[];
    return new Map(rows.map(({ subject, level }) => [subject, level]));
  }

  /**
   * Notes that a subject has risen to a level, and queues what is told of it, in one statement: of several processes
   * that see it at once, one does.
   */
  async raise(rise: { alertId: string; subject: string; level: number; message: AlertMessage }): Promise<void> {
    const { alertId, subject, level, message } = rise;
    await this.dataSource.query(
      `WITH risen AS (
         INSERT INTO dashboard.alert_states AS s (alert_id, subject, level)
         SELECT id, $2, $3 FROM dashboard.alerts WHERE id = $1
         ON CONFLICT (alert_id, subject) DO UPDATE SET level = excluded.level, since = now()
            WHERE s.level < excluded.level
         RETURNING alert_id)
       INSERT INTO dashboard.alert_deliveries (alert_id, event_id, subject, type, body)
       SELECT alert_id, $4, $2, $5, $6 FROM risen`,
      [alertId, subject, level, randomUUID(), message.type, JSON.stringify(message)],
    );
  }

  /** Notes that a subject has fallen: it can be told again. */
  async lower({ alertId, subject, level }: { alertId: string; subject: string; level: number }): Promise<void> {
    await this.dataSource.query(
      `UPDATE dashboard.alert_states SET level = $3, since = now() WHERE alert_id = $1 AND subject = $2 AND level > $3`,
      [alertId, subject, level],
    );
  }

  /** Takes all that is due for an alert, oldest first; no other process gets it meanwhile. */
  async claim(alertId: string): Promise<DueAlert[]> {
    const [rows] = (await this.dataSource.query(
      `UPDATE dashboard.alert_deliveries d
          SET attempts = d.attempts + 1, next_attempt_at = now() + $2 * interval '1 second'
        WHERE d.id IN (SELECT id FROM dashboard.alert_deliveries
                        WHERE alert_id = $1 AND status = 'pending' AND next_attempt_at <= now()
                        ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)
        RETURNING d.id, d.body, d.attempts, d.created_at AS "createdAt",
                  EXISTS (SELECT FROM dashboard.alert_states s
                           WHERE s.alert_id = d.alert_id AND s.subject = d.subject AND s.level = 0) AS "isOver"`,
      [alertId, CLAIM_SECONDS, MOST_TOGETHER],
    )) as [(DueAlert & { createdAt: Date })[], number];
    return rows.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /** Nothing of the alert is due before that time, if the alert is still at that version. */
  async hold({ id, version }: Pick<Alert, 'id' | 'version'>, until: Date): Promise<void> {
    await this.dataSource.query(
      `UPDATE dashboard.alert_deliveries SET next_attempt_at = $3
        WHERE alert_id = $1 AND status = 'pending' AND next_attempt_at <= now()
          AND EXISTS (SELECT FROM dashboard.alerts WHERE id = $1 AND version = $2)`,
      [id, version, until],
    );
  }
}
