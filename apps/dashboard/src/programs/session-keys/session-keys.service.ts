import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MAX_SESSION_KEYS } from '@paymaster/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import { isUuid } from '../../platform/database/uuid';
import type { Editor } from '../../access/callers/caller';
import { KeyNameExistsError, KeyNotFoundError, LimitReachedError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PolicyWriter } from '../policy-changes/policy-writer';
import { parsePublicKey, type CreateSessionKeyDto } from './session-key.dto';
import { toSessionKeyView, type NamedSessionKey, type SessionKeyView } from './session-key.view';

/** The keys with which back ends of apps sign session tokens (docs/architecture/api-keys.md). */
@Injectable()
export class SessionKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writer: PolicyWriter,
  ) {}

  /** Oldest first. */
  async list({ id }: Paymaster): Promise<SessionKeyView[]> {
    return (await listOf(this.dataSource.manager, id)).map((key) => toSessionKeyView(key, id));
  }

  /** @throws {InvalidBodyError} {@link KeyNameExistsError} {@link LimitReachedError} */
  async create(
    { paymaster: { id }, actor }: Editor,
    { name, publicKey }: CreateSessionKeyDto,
  ): Promise<SessionKeyView> {
    const key: NamedSessionKey = { keyId: randomUUID(), name, ...parsePublicKey(publicKey), createdAt: new Date() };
    const { keyId, algorithm, spki, createdAt } = key;
    await this.writer.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      await onUniqueViolation({ session_keys_paymaster_id_name_key: () => new KeyNameExistsError() }, () =>
        manager.query(
          `INSERT INTO dashboard.session_keys (id, paymaster_id, name, algorithm, spki, created_at)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [keyId, id, name, algorithm, spki, createdAt],
        ),
      );
      if ((await listOf(manager, id)).length > MAX_SESSION_KEYS) {
        throw new LimitReachedError(`A paymaster can have at most ${MAX_SESSION_KEYS} session keys`);
      }
      record({ subject: 'apiKey', subjectId: keyId, before: null, after: { name, algorithm, spki } });
    });
    return toSessionKeyView(key, id);
  }

  /** Tokens of the key end with it. @throws {KeyNotFoundError} */
  async delete({ paymaster: { id }, actor }: Editor, keyId: string): Promise<void> {
    await this.writer.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      const found = isUuid(keyId) && (await listOf(manager, id)).find((key) => key.keyId === keyId.toLowerCase());
      if (!found) throw new KeyNotFoundError();
      await manager.query(`DELETE FROM dashboard.session_keys WHERE id = $1`, [found.keyId]);
      const { name, algorithm, spki } = found;
      record({ subject: 'apiKey', subjectId: found.keyId, before: { name, algorithm, spki }, after: null });
    });
  }
}

function listOf(manager: EntityManager, paymasterId: string): Promise<NamedSessionKey[]> {
  return manager.query(
    `SELECT id AS "keyId", name, algorithm, spki, created_at AS "createdAt"
       FROM dashboard.session_keys WHERE paymaster_id = $1 ORDER BY created_at, id`,
    [paymasterId],
  );
}
