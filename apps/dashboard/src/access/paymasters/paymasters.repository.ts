import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isApiKeyShaped } from '../../platform/crypto/api-key';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import { isUuid } from '../../platform/database/uuid';
import { Paymaster, type PaymasterCounts } from './paymaster';
import { paymasterOfKey } from './paymaster-of-key.sql';

const COUNTS = `SELECT ${Object.entries({
  contracts: 'smart_contracts',
  policies: 'policies',
  sharedPolicies: 'shared_policy_paymasters',
  tokens: 'tokens',
  webhooks: 'webhooks',
  keys: 'named_keys',
  sessionKeys: 'session_keys',
} satisfies Record<keyof PaymasterCounts, string>)
  .map(([name, table]) => `(SELECT count(*)::int FROM dashboard.${table} WHERE paymaster_id = $1) AS "${name}"`)
  .join(', ')}`;

/** Paymasters, found only through the account they belong to. */
@Injectable()
export class PaymastersRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: ApiKeyVault,
  ) {}

  /** The account's paymaster with that key, current or former, or null: unknown and somebody else's look alike. */
  async findByApiKey(accountId: string, apiKey: string): Promise<Paymaster | null> {
    if (!isApiKeyShaped(apiKey)) return null;
    return this.all()
      .createQueryBuilder('paymaster')
      .where(`paymaster.accountId = :accountId AND paymaster.id = ${paymasterOfKey(':indexes')}`)
      .setParameters({ accountId, indexes: this.vault.indexes(apiKey) })
      .getOne();
  }

  /** The account's paymaster with that id, or null: unknown and somebody else's look alike. */
  async findById(accountId: string, id: string): Promise<Paymaster | null> {
    return isUuid(id) ? this.all().findOneBy({ accountId, id }) : null;
  }

  /** The paymaster with that id, whatever its account; only for the operator of the installation. */
  async findOfAnyAccount(id: string): Promise<Paymaster | null> {
    return isUuid(id) ? this.all().findOneBy({ id }) : null;
  }

  async listOf(accountId: string): Promise<Paymaster[]> {
    return this.all().find({ where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async countOf(manager: EntityManager, accountId: string): Promise<number> {
    return manager.getRepository(Paymaster).countBy({ accountId });
  }

  /** How many of each kind belong to a paymaster. */
  async countsOf(paymasterId: string): Promise<PaymasterCounts> {
    const [row] = (await this.dataSource.query(COUNTS, [paymasterId])) as PaymasterCounts[];
    if (!row) throw new Error('a count has no row');
    return row;
  }

  async insert(manager: EntityManager, paymaster: Omit<Paymaster, 'createdAt'>): Promise<void> {
    await manager.getRepository(Paymaster).insert({ ...paymaster });
  }

  /** As it is within a transaction. */
  async get(manager: EntityManager, paymasterId: string): Promise<Paymaster> {
    return manager.getRepository(Paymaster).findOneByOrFail({ id: paymasterId });
  }

  async update(manager: EntityManager, id: string, changes: Partial<Paymaster>): Promise<void> {
    await manager.getRepository(Paymaster).update({ id }, changes);
  }

  private all() {
    return this.dataSource.getRepository(Paymaster);
  }
}
