import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import type { SharingPaymasterView, StoredSharedPolicy } from './shared-policy.view';

const SELECT = `
  SELECT s.id, s.name, s.active, s.policy_type AS "policyType", s.policy_data AS "policyData", s.version,
         s.created_at AS "createdAt",
         ARRAY(SELECT p.paymaster_id FROM dashboard.shared_policy_paymasters p
                WHERE p.shared_policy_id = s.id ORDER BY 1) AS "paymasterIds"
    FROM dashboard.shared_policies s`;

/** The shared policies of accounts. What takes a manager belongs into the transaction of a change. */
@Injectable()
export class SharedPoliciesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(
    accountId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<readonly StoredSharedPolicy[]> {
    const rows = await manager.query(`${SELECT} WHERE s.account_id = $1 ORDER BY s.creation_order`, [accountId]);
    return (rows as StoredSharedPolicy[]).map(complete);
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
    const rows = await manager.query(`${SELECT} WHERE s.account_id = $1 AND s.id = $2`, [accountId, id]);
    const [row] = rows as StoredSharedPolicy[];
    return row ? complete(row) : null;
  }

  async insert(manager: EntityManager, accountId: string, policy: StoredSharedPolicy): Promise<void> {
    const { id, name, active, policyType, policyData, version, createdAt } = policy;
    await manager.query(
      `INSERT INTO dashboard.shared_policies (id, account_id, name, active, policy_type, policy_data, version, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, accountId, name, active, policyType, JSON.stringify(policyData), version, createdAt],
    );
    await this.attach(manager, policy);
  }

  async update(manager: EntityManager, policy: StoredSharedPolicy): Promise<void> {
    const { id, name, active, policyData, version } = policy;
    await manager.query(
      `UPDATE dashboard.shared_policies SET name = $2, active = $3, policy_data = $4, version = $5 WHERE id = $1`,
      [id, name, active, JSON.stringify(policyData), version],
    );
    await manager.query(`DELETE FROM dashboard.shared_policy_paymasters WHERE shared_policy_id = $1`, [id]);
    await this.attach(manager, policy);
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.shared_policies WHERE id = $1`, [id]);
  }

  /** Those of the paymasters that are the account's, each with its chain. */
  async paymastersOf(
    manager: EntityManager,
    { accountId, ids }: { readonly accountId: string; readonly ids: readonly string[] },
  ): Promise<readonly { readonly id: string; readonly chainId: number }[]> {
    const rows = (await manager.query(
      `SELECT id, chain_id AS "chainId" FROM dashboard.paymasters WHERE account_id = $1 AND id = ANY ($2)`,
      [accountId, ids],
    )) as { id: string; chainId: string }[];
    return rows.map(({ id, chainId }) => ({ id, chainId: Number(chainId) }));
  }

  private async attach(manager: EntityManager, { id, paymasterIds }: StoredSharedPolicy): Promise<void> {
    await manager.query(
      `INSERT INTO dashboard.shared_policy_paymasters (shared_policy_id, paymaster_id) SELECT $1, unnest($2::uuid[])`,
      [id, paymasterIds],
    );
  }
}

const complete = (row: StoredSharedPolicy): StoredSharedPolicy => ({ ...row, version: Number(row.version) });
