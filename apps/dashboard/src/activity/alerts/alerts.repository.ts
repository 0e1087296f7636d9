import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { CLAIM_SECONDS } from '../../outbound/webhooks/delivery-queue';
import { AlertEntity, type Alert } from './alert';

/** Between two looks at a paymaster. */
const LOOK_SECONDS = 60;
/** Tries of the alerts of a paymaster in a time. */
const MOST_TESTS = 10;
const TESTS_SECONDS = 600;

/** Who is told about paymasters, and when each is looked at. */
@Injectable()
export class AlertsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<Alert[]> {
    return manager.getRepository(AlertEntity).find({ where: { paymasterId }, order: { creationOrder: 'ASC' } });
  }

  /** The paymaster's alert, or null: one of another paymaster looks like one that does not exist. */
  async find(
    { paymasterId, id }: Pick<Alert, 'paymasterId' | 'id'>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Alert | null> {
    return isUuid(id) ? manager.getRepository(AlertEntity).findOneBy({ paymasterId, id }) : null;
  }

  /** Whatever its paymaster. */
  async get(id: string): Promise<Alert | null> {
    return this.dataSource.getRepository(AlertEntity).findOneBy({ id });
  }

  /** Also what has changed of one. Its paymaster is looked at soon, and what waits is tried or held anew. */
  async save(manager: EntityManager, alert: Alert): Promise<void> {
    await manager.getRepository(AlertEntity).save(alert);
    await manager.query(
      `INSERT INTO dashboard.alert_looks (paymaster_id) VALUES ($1)
       ON CONFLICT (paymaster_id) DO UPDATE SET next_look_at = now()`,
      [alert.paymasterId],
    );
    await manager.query(
      // What is due this soon may be on its way already, in the hands of a process that claimed it.
      `UPDATE dashboard.alert_deliveries SET next_attempt_at = now()
        WHERE alert_id = $1 AND status = 'pending' AND next_attempt_at > now() + $2 * interval '1 second'`,
      [alert.id, CLAIM_SECONDS],
    );
  }

  /** What was to be told while the alert was paused is old by now. */
  async forgetWaiting(manager: EntityManager, id: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.alert_deliveries WHERE alert_id = $1 AND status = 'pending'`, [id]);
  }

  /** All is told again that is so. */
  async forgetLevels(manager: EntityManager, id: string): Promise<void> {
    await manager.query('DELETE FROM dashboard.alert_states WHERE alert_id = $1', [id]);
  }

  /** Of an archived paymaster nothing is told; once it is restored, all is told again that is so then. */
  async forgetAllOf(paymasterId: string): Promise<void> {
    await this.dataSource.query(
      `WITH own AS (SELECT id FROM dashboard.alerts WHERE paymaster_id = $1),
            waiting AS (DELETE FROM dashboard.alert_deliveries USING own WHERE alert_id = own.id AND status = 'pending')
       DELETE FROM dashboard.alert_states USING own WHERE alert_id = own.id`,
      [paymasterId],
    );
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.getRepository(AlertEntity).delete({ id });
  }

  /** A paymaster with alerts that nobody has looked at for a minute: it is the caller's for the next one. */
  async claimLook(): Promise<string | undefined> {
    const [rows] = (await this.dataSource.query(
      `UPDATE dashboard.alert_looks SET next_look_at = now() + $1 * interval '1 second'
        WHERE paymaster_id = (
              SELECT paymaster_id FROM dashboard.alert_looks l
               WHERE next_look_at <= now()
                 AND EXISTS (SELECT FROM dashboard.alerts a WHERE a.paymaster_id = l.paymaster_id AND a.active)
               ORDER BY next_look_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING paymaster_id AS id`,
      [LOOK_SECONDS],
    )) as [{ id: string }[], number];
    return rows[0]?.id;
  }

  /** Counts a test of one of the paymaster's alerts. @returns for how long there may be none; seconds, 0: it may be made */
  async countTest(paymasterId: string): Promise<number> {
    const [rows] = (await this.dataSource.query(
      `UPDATE dashboard.alert_looks
          SET tests = CASE WHEN tests_since < now() - $2 * interval '1 second' THEN 1 ELSE tests + 1 END,
              tests_since = CASE WHEN tests_since < now() - $2 * interval '1 second' THEN now() ELSE tests_since END
        WHERE paymaster_id = $1
        RETURNING tests, ceil(extract(epoch FROM tests_since - now()) + $2)::int AS "leftSeconds"`,
      [paymasterId, TESTS_SECONDS],
    )) as [{ tests: number; leftSeconds: number }[], number];
    const { tests = 0, leftSeconds = 1 } = rows[0] ?? {};
    return tests > MOST_TESTS ? Math.max(1, leftSeconds) : 0;
  }
}
