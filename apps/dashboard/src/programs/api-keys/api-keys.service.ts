import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { generateApiKey } from '../../platform/crypto/api-key';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import type { Editor } from '../../access/callers/caller';
import { FormerApiKeyError, LimitReachedError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { toPaymasterView, type FundedPaymasterView } from '../paymasters/paymaster.view';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { PolicyWriter } from '../policy-changes/policy-writer';
import type { EndedKeysView, FormerKeyView, RotatedKeyView } from './api-keys.view';
import { FormerKeysRepository } from './former-keys.repository';
import { DEFAULT_OVERLAP_SECONDS, type RotateKeyDto } from './rotate-key.dto';

/** Former keys of one paymaster that may work at a time. */
const MAX_FORMER_KEYS = 3;

/** Another API key for a paymaster, and the end of those before. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly auditLog: AuditLogRepository,
    private readonly paymasters: PaymastersRepository,
    private readonly formerKeys: FormerKeysRepository,
    private readonly policies: PolicyWriter,
    private readonly vault: ApiKeyVault,
  ) {}

  /** The current key. The audit log says who was shown it before it is answered. */
  async show({ paymaster, actor }: Editor): Promise<FundedPaymasterView> {
    await this.auditLog.appendShownKeys(actor, [paymaster]);
    return { ...toPaymasterView(paymaster, this.vault), paymasterId: paymaster.id };
  }

  /** Until when each former key works that still does, the next to end first. */
  async listFormer({ id }: Paymaster): Promise<FormerKeyView[]> {
    const ends = await this.formerKeys.endsOf(this.dataSource.manager, id);
    return ends.map((end) => ({ validUntil: end.toISOString() }));
  }

  /**
   * Replaces the key that was sent, which has to be the current one: a rotation whose answer was lost is not made
   * twice, and of two at once one is refused. Who names the paymaster by its id asks for another key each time.
   *
   * @param sentKey empty when the id was sent
   *
   * @throws {FormerApiKeyError} {@link LimitReachedError}
   */
  async rotate(
    { paymaster: { id }, actor }: Editor,
    sentKey: string,
    { previousKeyValidSeconds = DEFAULT_OVERLAP_SECONDS }: RotateKeyDto,
  ): Promise<RotatedKeyView> {
    return this.policies.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      const before = await this.paymasters.get(manager, id);
      if (sentKey && !this.vault.indexes(sentKey).includes(before.apiKeyIndex)) throw new FormerApiKeyError();
      const endsAt = await this.retireCurrentKey(manager, id, previousKeyValidSeconds);
      const apiKey = generateApiKey();
      const stored = { apiKeyIndex: this.vault.index(apiKey), apiKeyCiphertext: this.vault.encrypt(apiKey, id) };
      await this.paymasters.update(manager, id, stored);

      const previousKeyValidUntil = endsAt.toISOString();
      record({
        subject: 'apiKey',
        subjectId: id,
        before: { previousKeyValidUntil: null },
        after: { previousKeyValidUntil },
      });
      return {
        ...toPaymasterView({ ...before, ...stored }, this.vault),
        ...{ paymasterId: id, previousKeyValidUntil },
      };
    });
  }

  /** Ends all former keys at once; the current one goes on. */
  async endFormer({ paymaster: { id }, actor }: Editor): Promise<EndedKeysView> {
    return this.policies.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      const ends = await this.formerKeys.endsOf(manager, id);
      await this.formerKeys.deleteAll(manager, id);
      record({
        subject: 'apiKey',
        subjectId: id,
        before: { formerKeysValidUntil: ends.map((end) => end.toISOString()) },
        after: { formerKeysValidUntil: [] },
      });
      return { ended: ends.length };
    });
  }

  /** @returns when it ends */
  private async retireCurrentKey(manager: EntityManager, paymasterId: string, seconds: number): Promise<Date> {
    const endsAt = await this.formerKeys.retireCurrent(manager, paymasterId, seconds);
    await this.formerKeys.deleteEnded(manager, paymasterId);
    if ((await this.formerKeys.endsOf(manager, paymasterId)).length > MAX_FORMER_KEYS) {
      throw new LimitReachedError(
        `A paymaster can have at most ${MAX_FORMER_KEYS} former API keys: end them, or end this one with previousKeyValidSeconds 0`,
      );
    }
    return endsAt;
  }
}
