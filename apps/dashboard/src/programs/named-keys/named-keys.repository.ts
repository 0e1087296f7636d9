import { Injectable } from '@nestjs/common';
import { KEY_TERMS, withoutStandards } from '@paymaster/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import { isUuid } from '../../platform/database/uuid';
import { KeyNameExistsError } from '../../platform/http/dashboard-errors';
import { completeTerms, type KeyTerms, type NamedKey } from './named-key';
import { NamedKeyEntity, NamedKeyTextEntity } from './named-key.entity.db';

const COLUMNS = `k.id, k.paymaster_id AS "paymasterId", k.name, k.kind, k.terms, k.expires_at AS "expiresAt",
                 k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt",
                 ARRAY(SELECT t.valid_until FROM dashboard.named_key_texts t
                        WHERE t.paymaster_id = k.paymaster_id AND t.key_id = k.id AND t.valid_until > now()
                        ORDER BY 1) AS "formerValidUntil"`;

/** How the text of a key lies in the database. */
export interface StoredText {
  readonly apiKeyIndex: string;
  readonly apiKeyCiphertext: string;
}

const withUniqueName = <T>(write: () => Promise<T>): Promise<T> =>
  onUniqueViolation({ named_keys_paymaster_id_name_key: () => new KeyNameExistsError() }, write);

/** The named keys of paymasters. What takes a manager belongs into the transaction of a change of the paymaster. */
@Injectable()
export class NamedKeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<NamedKey[]> {
    const rows = (await manager.query(
      `SELECT ${COLUMNS} FROM dashboard.named_keys k WHERE k.paymaster_id = $1 ORDER BY k.created_at, k.id`,
      [paymasterId],
    )) as NamedKey[];
    return rows.map(complete);
  }

  /** The paymaster's key, or null: one of another paymaster looks like one that does not exist. */
  async find(
    manager: EntityManager,
    { paymasterId, id }: Pick<NamedKey, 'paymasterId' | 'id'>,
  ): Promise<NamedKey | null> {
    if (!isUuid(id)) return null;
    const rows = (await manager.query(
      `SELECT ${COLUMNS} FROM dashboard.named_keys k WHERE k.paymaster_id = $1 AND k.id = $2`,
      [paymasterId, id],
    )) as NamedKey[];
    return rows[0] ? complete(rows[0]) : null;
  }

  /** @throws {KeyNameExistsError} */
  async insert(manager: EntityManager, key: NamedKey, text: StoredText): Promise<void> {
    const { formerValidUntil: _ofTexts, ...row } = key;
    await withUniqueName(() => manager.insert(NamedKeyEntity, { ...row, terms: storedTerms(key) }));
    await this.addText(manager, key, text);
  }

  /** @throws {KeyNameExistsError} */
  async update(manager: EntityManager, key: NamedKey): Promise<void> {
    const { id, name, expiresAt } = key;
    await withUniqueName(() => manager.update(NamedKeyEntity, { id }, { name, terms: storedTerms(key), expiresAt }));
  }

  /** With all of its texts. */
  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.delete(NamedKeyEntity, { id });
  }

  /** Makes the current text a former one for so many seconds; 0 ends it and all former ones. @returns its end */
  async retireText(manager: EntityManager, id: string, seconds: number): Promise<Date> {
    const [rows] = (await manager.query(
      `UPDATE dashboard.named_key_texts SET valid_until = now() + $2 * interval '1 second'
        WHERE key_id = $1 AND valid_until IS NULL RETURNING valid_until AS "validUntil"`,
      [id, seconds],
    )) as [{ validUntil: Date }[], number];
    await manager.query(
      `DELETE FROM dashboard.named_key_texts WHERE key_id = $1 AND (valid_until <= now() OR $2 = 0)`,
      [id, seconds],
    );
    if (!rows[0]) throw new Error(`the named key ${id} has no current text`);
    return rows[0].validUntil;
  }

  async addText(manager: EntityManager, { id: keyId, paymasterId }: NamedKey, text: StoredText): Promise<void> {
    await manager.insert(NamedKeyTextEntity, { ...text, keyId, paymasterId });
  }
}

const storedTerms = ({ terms }: NamedKey): Partial<KeyTerms> => withoutStandards(KEY_TERMS, terms);
const complete = (key: NamedKey): NamedKey => ({ ...key, terms: completeTerms(key.terms) });
