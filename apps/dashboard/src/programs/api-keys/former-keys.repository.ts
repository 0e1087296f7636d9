import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** API keys that were replaced and still work. What changes them belongs into the transaction of a change of their paymaster. */
@Injectable()
export class FormerKeysRepository {
  /** Makes the current key a former one for so many seconds; the paymaster needs another one then. @returns its end */
  async retireCurrent(manager: EntityManager, paymasterId: string, seconds: number): Promise<Date> {
    const [row] = (await manager.query(
      `INSERT INTO dashboard.former_api_keys (api_key_index, paymaster_id, api_key_ciphertext, valid_until)
       SELECT api_key_index, id, api_key_ciphertext, now() + $2 * interval '1 second'
         FROM dashboard.paymasters WHERE id = $1
       RETURNING valid_until AS "validUntil"`,
      [paymasterId, seconds],
    )) as { validUntil: Date }[];
    if (!row) throw new Error(`the paymaster ${paymasterId} is gone`);
    return row.validUntil;
  }

  /** When those that still work end, the next to end first. */
  async endsOf(manager: EntityManager, paymasterId: string): Promise<Date[]> {
    const rows = (await manager.query(
      `SELECT valid_until AS "validUntil" FROM dashboard.former_api_keys
        WHERE paymaster_id = $1 AND valid_until > now() ORDER BY valid_until`,
      [paymasterId],
    )) as { validUntil: Date }[];
    return rows.map(({ validUntil }) => validUntil);
  }

  /** Those that ended already; a retention task does so too, for paymasters that are not written any more. */
  async deleteEnded(manager: EntityManager, paymasterId: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.former_api_keys WHERE paymaster_id = $1 AND valid_until <= now()`, [
      paymasterId,
    ]);
  }

  async deleteAll(manager: EntityManager, paymasterId: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.former_api_keys WHERE paymaster_id = $1`, [paymasterId]);
  }
}
