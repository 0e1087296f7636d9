import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../database/uuid';
import type { Policy } from './policy';
import { PolicyEntity } from './policy.entity.db';

/** The policies of a paymaster. */
@Injectable()
export class PoliciesRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<Policy[]> {
    const entities = await manager
      .getRepository(PolicyEntity)
      .find({ where: { paymasterId }, order: { creationOrder: 'ASC' } });
    return entities.map(toPolicy);
  }

  /** The paymaster's policy, or null: one of another paymaster looks like one that does not exist. */
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

  async update(manager: EntityManager, { id, name, active, policyData }: Policy): Promise<void> {
    await manager.getRepository(PolicyEntity).update({ id }, { name, active, policyData: policyData as object });
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.getRepository(PolicyEntity).delete({ id });
  }
}

function toPolicy({ id, paymasterId, createdBy, name, active, policyType, policyData }: PolicyEntity): Policy {
  return { id, paymasterId, createdBy, name, active, policyType, policyData } as Policy;
}
