import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { Paymaster } from '../../access/paymasters/paymaster';
import { isUuid } from '../../platform/database/uuid';
import { SharedPolicyEntity, SharedPolicyPaymaster, toSharedPolicy } from '../policies/shared-policy.entity.db';
import type { SharingPaymasterView, StoredSharedPolicy } from './shared-policy.view';

/** The shared policies of accounts. What takes a manager belongs into the transaction of a change. */
@Injectable()
export class SharedPoliciesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(
    accountId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<readonly StoredSharedPolicy[]> {
    return read(manager, { accountId });
  }

  /** All paymasters of an account, oldest first. */
  async paymastersOfAccount(accountId: string): Promise<SharingPaymasterView[]> {
    const rows = (await this.dataSource.query(
      `SELECT m.id AS "paymasterId", m.name, m.chain_id AS "chainId",
              ARRAY(SELECT s.id FROM dashboard.shared_policies s
                      JOIN dashboard.shared_policy_paymasters p ON p.shared_policy_id = s.id
                     WHERE p.paymaster_id = m.id ORDER BY s.creation_order) AS "policyIds"
         FROM dashboard.paymasters m WHERE m.account_id = $1 ORDER BY m.created_at, m.id`,
      [accountId],
    )) as SharingPaymasterView[];
    return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }));
  }

  /** The account's policy, or null: one of another account looks like one that does not exist. */
  async find(
    manager: EntityManager,
    { accountId, id }: { readonly accountId: string; readonly id: string },
  ): Promise<StoredSharedPolicy | null> {
    if (!isUuid(id)) return null;
    const [policy = null] = await read(manager, { accountId, id });
    return policy;
  }

  async insert(manager: EntityManager, accountId: string, policy: StoredSharedPolicy): Promise<void> {
    const { paymasterIds: _attached, policyData, ...columns } = policy;
    await manager.insert(SharedPolicyEntity, { ...columns, accountId, policyData: policyData as object });
    await this.attach(manager, policy);
  }

  async update(manager: EntityManager, policy: StoredSharedPolicy): Promise<void> {
    const { id, name, active, policyData, version } = policy;
    await manager.update(SharedPolicyEntity, { id }, { name, active, policyData: policyData as object, version });
    await manager.delete(SharedPolicyPaymaster, { sharedPolicyId: id });
    await this.attach(manager, policy);
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.delete(SharedPolicyEntity, { id });
  }

  /** Those of the paymasters that are the account's, each with its chain. */
  async paymastersOf(
    manager: EntityManager,
    { accountId, ids }: { readonly accountId: string; readonly ids: readonly string[] },
  ): Promise<readonly { readonly id: string; readonly chainId: number }[]> {
    return manager.find(Paymaster, { select: { id: true, chainId: true }, where: { accountId, id: In(ids) } });
  }

  private async attach(manager: EntityManager, { id, paymasterIds }: StoredSharedPolicy): Promise<void> {
    const links = paymasterIds.map((paymasterId) => ({ sharedPolicyId: id, paymasterId }));
    await manager.insert(SharedPolicyPaymaster, links);
  }
}

/** With the ids of its paymasters in one order. */
async function read(
  manager: EntityManager,
  where: FindOptionsWhere<SharedPolicyEntity>,
): Promise<readonly StoredSharedPolicy[]> {
  const entities = await manager.find(SharedPolicyEntity, {
    where,
    relations: { paymasters: true },
    order: { creationOrder: 'ASC', paymasters: { paymasterId: 'ASC' } },
  });
  return entities.map((entity) => ({
    ...toSharedPolicy(entity),
    createdAt: entity.createdAt,
    paymasterIds: entity.paymasters.map(({ paymasterId }) => paymasterId),
  }));
}
