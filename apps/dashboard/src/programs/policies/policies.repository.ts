import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import type { Policy } from './policy';
import { PolicyEntity } from './policy.entity.db';
import type { SharedPolicy } from './shared-policy';
import { SharedPolicyEntity, toSharedPolicy } from './shared-policy.entity.db';

/** Reads and writes the policies of a paymaster, and reads those that it shares. */
@Injectable()
export class PoliciesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<Policy[]> {
    const entities = await manager
      .getRepository(PolicyEntity)
      .find({ where: { paymasterId }, order: { creationOrder: 'ASC' } });
    return entities.map(toPolicy);
  }

  /** Those that it shares with other paymasters of its account, oldest first. */
  async sharedOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<SharedPolicy[]> {
    const entities = await manager
      .getRepository(SharedPolicyEntity)
      .find({ where: { paymasters: { paymasterId } }, order: { creationOrder: 'ASC' } });
    return entities.map(toSharedPolicy);
  }

  /** The names of its own and of its shared policies, by the ids of these. */
  async namesOf(paymasterId: string): Promise<ReadonlyMap<string, string>> {
    const rows = (await this.dataSource.query(
      `SELECT id, name FROM dashboard.policies WHERE paymaster_id = $1
       UNION ALL SELECT s.id, s.name FROM dashboard.shared_policies s
         JOIN dashboard.shared_policy_paymasters p ON p.shared_policy_id = s.id WHERE p.paymaster_id = $1`,
      [paymasterId],
    )) as Pick<Policy, 'id' | 'name'>[];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Its own and the shared ones, as a transaction sees them. */
  async allOf(paymasterId: string, manager: EntityManager): Promise<{ policies: Policy[]; shared: SharedPolicy[] }> {
    return { policies: await this.listOf(paymasterId, manager), shared: await this.sharedOf(paymasterId, manager) };
  }

  /** The paymaster's policy, or null; also null where the policy belongs to another paymaster. */
  async find(
    { paymasterId, id }: Pick<Policy, 'paymasterId' | 'id'>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Policy | null> {
    if (!isUuid(id)) return null;
    const entity = await manager.getRepository(PolicyEntity).findOneBy({ paymasterId, id });
    return entity && toPolicy(entity);
  }

  async insert(manager: EntityManager, policy: Policy): Promise<void> {
    await manager.getRepository(PolicyEntity).insert(policy as PolicyEntity);
  }

  async update(manager: EntityManager, { id, name, active, policyData, version }: Policy): Promise<void> {
    await manager
      .getRepository(PolicyEntity)
      .update({ id }, { name, active, policyData: policyData as object, version });
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.getRepository(PolicyEntity).delete({ id });
  }
}

function toPolicy({ id, paymasterId, createdBy, name, active, policyType, policyData, version }: PolicyEntity): Policy {
  return { id, paymasterId, createdBy, name, active, policyType, policyData, version } as Policy;
}
