import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_STORED_SETTINGS } from '@paymaster/domain';
import { DataSource } from 'typeorm';
import type { Account } from '../../access/accounts/account';
import { AccountsRepository } from '../../access/accounts/accounts.repository';
import type { Actor } from '../../platform/audit/actor';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { generateApiKey } from '../../platform/crypto/api-key';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import {
  ChainNotSupportedError,
  LimitReachedError,
  PaymasterNameExistsError,
} from '../../platform/http/dashboard-errors';
import type { CreatePaymasterDto } from './create-paymaster.dto';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { toPaymasterView, type PaymasterView } from './paymaster.view';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';

type NewPaymaster = Omit<Paymaster, 'createdAt'>;

/** Operations 1 and 2: list and register paymasters. */
@Injectable()
export class PaymastersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly paymasters: PaymastersRepository,
    private readonly chains: SupportedChains,
    private readonly auditLog: AuditLogRepository,
    private readonly vault: ApiKeyVault,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'maxPaymastersPerAccount'>,
  ) {}

  /**
   * Every paymaster of the account that is not archived, oldest first. Programs read their keys here again and again;
   * that a person was shown them is in the audit log.
   */
  async list(account: Account, actor: Actor): Promise<PaymasterView[]> {
    const paymasters = (await this.paymasters.listOf(account.id)).filter(({ archivedAt }) => archivedAt === null);
    if (actor.personId) await this.auditLog.appendShownKeys(actor, paymasters);
    return paymasters.map((paymaster) => toPaymasterView(paymaster, this.vault));
  }

  /**
   * A new paymaster that sponsors nothing yet.
   *
   * @throws {ChainNotSupportedError} {@link PaymasterNameExistsError} {@link LimitReachedError}
   */
  async create(account: Account, request: CreatePaymasterDto): Promise<PaymasterView> {
    if (!this.chains.has(request.chainId)) throw new ChainNotSupportedError();
    const paymaster = this.build(account, request);
    await onUniqueViolation({ paymasters_chain_id_name_key: () => new PaymasterNameExistsError() }, () =>
      this.insertWithinLimit(paymaster),
    );
    return toPaymasterView(paymaster, this.vault);
  }

  private build(account: Account, { name, type, chainId, version }: CreatePaymasterDto): NewPaymaster {
    const id = randomUUID();
    const apiKey = generateApiKey();
    return {
      id,
      accountId: account.id,
      name,
      project: null,
      chainId,
      type,
      paymasterVersion: version,
      apiKeyIndex: this.vault.index(apiKey),
      apiKeyCiphertext: this.vault.encrypt(apiKey, id),
      fundingWallet: null,
      policyVersion: 1,
      settings: DEFAULT_STORED_SETTINGS,
      ...{ archivedAt: null, suspendedAt: null, suspensionReason: null },
    };
  }

  private async insertWithinLimit(paymaster: NewPaymaster): Promise<void> {
    const limit = this.config.maxPaymastersPerAccount;
    await this.dataSource.transaction(async (manager) => {
      await this.accounts.lock(manager, paymaster.accountId);
      const count = await this.paymasters.countOf(manager, paymaster.accountId);
      if (count >= limit) throw new LimitReachedError(`An account can have at most ${limit} paymasters`);
      await this.paymasters.insert(manager, paymaster);
    });
  }
}
