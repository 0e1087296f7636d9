import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { PREVIOUS_SECRET_HOURS, type Webhook } from './webhook';

const COLUMNS = `id, paymaster_id AS "paymasterId", url, request_type AS "requestType", active, events,
                 low_balance_hours AS "lowBalanceHours"`;

/** The webhooks of a paymaster, and which versions of their secrets are in force. */
@Injectable()
export class WebhooksRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<Webhook[]> {
    return manager.query(`SELECT ${COLUMNS} FROM dashboard.webhooks WHERE paymaster_id = $1 ORDER BY creation_order`, [
      paymasterId,
    ]);
  }

  /** The paymaster's webhook, or null: one of another paymaster looks like one that does not exist. */
  async find(
    { paymasterId, id }: Pick<Webhook, 'paymasterId' | 'id'>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Webhook | null> {
    if (!isUuid(id)) return null;
    const rows = (await manager.query(`SELECT ${COLUMNS} FROM dashboard.webhooks WHERE paymaster_id = $1 AND id = $2`, [
      paymasterId,
      id,
    ])) as Webhook[];
    return rows[0] ?? null;
  }

  async insert(manager: EntityManager, webhook: Webhook): Promise<void> {
    const { id, paymasterId, url, requestType, active, events, lowBalanceHours } = webhook;
    await manager.query(
      `INSERT INTO dashboard.webhooks (id, paymaster_id, url, request_type, active, events, low_balance_hours)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, paymasterId, url, requestType, active, events, lowBalanceHours],
    );
  }

  async setActive(manager: EntityManager, id: string, active: boolean): Promise<void> {
    await manager.query(`UPDATE dashboard.webhooks SET active = $2 WHERE id = $1`, [id, active]);
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.webhook_secrets WHERE webhook_id = $1`, [id]);
    await manager.query(`DELETE FROM dashboard.webhooks WHERE id = $1`, [id]);
  }

  /** Versions in force, newest first; for webhooks and WEBHOOK policies alike. */
  async secretVersions(
    ids: readonly string[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ReadonlyMap<string, readonly number[]>> {
    const rows = (await manager.query(
      `SELECT webhook_id AS id, version, previous_valid_until > now() AS "hasPrevious"
         FROM dashboard.webhook_secrets WHERE webhook_id = ANY ($1)`,
      [ids],
    )) as { id: string; version: number; hasPrevious: boolean }[];
    const rotated = new Map(
      rows.map(({ id, version, hasPrevious }) => [id, hasPrevious ? [version, version - 1] : [version]]),
    );
    return new Map(ids.map((id) => [id, rotated.get(id) ?? [1]]));
  }

  /** Makes the next version the newest. */
  async rotate(manager: EntityManager, id: string): Promise<void> {
    await manager.query(
      `INSERT INTO dashboard.webhook_secrets AS s (webhook_id, version, previous_valid_until)
       VALUES ($1, 2, now() + $2 * interval '1 hour')
       ON CONFLICT (webhook_id) DO UPDATE
          SET version = s.version + 1, previous_valid_until = excluded.previous_valid_until`,
      [id, PREVIOUS_SECRET_HOURS],
    );
  }
}
