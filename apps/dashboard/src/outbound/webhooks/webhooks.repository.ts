import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { PREVIOUS_SECRET_HOURS, WebhookEntity, type Webhook } from './webhook';

/** The webhooks of a paymaster, and which versions of their secrets are in force. */
@Injectable()
export class WebhooksRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<Webhook[]> {
    return manager.getRepository(WebhookEntity).find({ where: { paymasterId }, order: { creationOrder: 'ASC' } });
  }

  /** The paymaster's webhook, or null: one of another paymaster looks like one that does not exist. */
  async find(
    { paymasterId, id }: Pick<Webhook, 'paymasterId' | 'id'>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Webhook | null> {
    return isUuid(id) ? manager.getRepository(WebhookEntity).findOneBy({ paymasterId, id }) : null;
  }

  async insert(manager: EntityManager, webhook: Webhook): Promise<void> {
    await manager.getRepository(WebhookEntity).insert(webhook);
  }

  async setActive(manager: EntityManager, id: string, active: boolean): Promise<void> {
    await manager.getRepository(WebhookEntity).update({ id }, { active });
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.webhook_secrets WHERE webhook_id = $1`, [id]);
    await manager.getRepository(WebhookEntity).delete({ id });
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
