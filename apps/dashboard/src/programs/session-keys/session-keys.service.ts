import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MAX_SESSION_KEYS } from '@paymaster/domain';
import { Repository } from 'typeorm';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import { isUuid } from '../../platform/database/uuid';
import type { Editor } from '../../access/callers/caller';
import { KeyNameExistsError, KeyNotFoundError, LimitReachedError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PolicyWriter } from '../policy-changes/policy-writer';
import { parsePublicKey, type CreateSessionKeyDto } from './session-key.dto';
import { NamedSessionKey } from './session-key';
import { toSessionKeyView, type SessionKeyView } from './session-key.view';

/** The keys with which back ends of apps sign session tokens (docs/architecture/api-keys.md). */
@Injectable()
export class SessionKeysService {
  constructor(
    @InjectRepository(NamedSessionKey) private readonly keys: Repository<NamedSessionKey>,
    private readonly writer: PolicyWriter,
  ) {}

  /** Oldest first. */
  async list({ id }: Paymaster): Promise<SessionKeyView[]> {
    const keys = await this.keys.find({ where: { paymasterId: id }, order: { createdAt: 'ASC', keyId: 'ASC' } });
    return keys.map(toSessionKeyView);
  }

  /** @throws {InvalidBodyError} {@link KeyNameExistsError} {@link LimitReachedError} */
  async create(
    { paymaster: { id }, actor }: Editor,
    { name, publicKey }: CreateSessionKeyDto,
  ): Promise<SessionKeyView> {
    const [keyId, createdAt] = [randomUUID(), new Date()];
    const { algorithm, spki } = parsePublicKey(publicKey);
    const key: NamedSessionKey = { keyId, name, algorithm, spki, paymasterId: id, createdAt };
    await this.writer.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      await onUniqueViolation({ session_keys_paymaster_id_name_key: () => new KeyNameExistsError() }, () =>
        manager.insert(NamedSessionKey, key),
      );
      if ((await manager.countBy(NamedSessionKey, { paymasterId: id })) > MAX_SESSION_KEYS) {
        throw new LimitReachedError(`A paymaster can have at most ${MAX_SESSION_KEYS} session keys`);
      }
      record({ subject: 'apiKey', subjectId: keyId, before: null, after: { name, algorithm, spki } });
    });
    return toSessionKeyView(key);
  }

  /** Tokens of the key end with it. @throws {KeyNotFoundError} */
  async delete({ paymaster: { id }, actor }: Editor, keyId: string): Promise<void> {
    await this.writer.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      const found = isUuid(keyId) && (await manager.findOneBy(NamedSessionKey, { paymasterId: id, keyId }));
      if (!found) throw new KeyNotFoundError();
      await manager.delete(NamedSessionKey, { keyId: found.keyId });
      const { name, algorithm, spki } = found;
      record({ subject: 'apiKey', subjectId: found.keyId, before: { name, algorithm, spki }, after: null });
    });
  }
}
