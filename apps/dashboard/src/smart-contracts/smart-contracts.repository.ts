import { Inject, Injectable } from '@nestjs/common';
import type { Address } from '@paymaster/domain';
import { DataSource, type EntityManager } from 'typeorm';
import type { SmartContract } from './smart-contract';
import { SmartContractEntity } from './smart-contract.entity.db';

/** The contracts of a paymaster. */
@Injectable()
export class SmartContractsRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(paymasterId: string): Promise<SmartContract[]> {
    return this.dataSource
      .getRepository(SmartContractEntity)
      .find({ where: { paymasterId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async find(manager: EntityManager, paymasterId: string, address: Address): Promise<SmartContract | null> {
    return manager.getRepository(SmartContractEntity).findOneBy({ paymasterId, address });
  }

  async countOf(manager: EntityManager, paymasterId: string): Promise<number> {
    return manager.getRepository(SmartContractEntity).countBy({ paymasterId });
  }

  async insert(manager: EntityManager, contract: SmartContract): Promise<void> {
    const { methods, whitelistedMethods, selectors, ...rest } = contract;
    await manager.getRepository(SmartContractEntity).insert({
      ...rest,
      methods: [...methods],
      whitelistedMethods: [...whitelistedMethods],
      selectors: [...selectors],
    });
  }

  async updateWhitelist(
    manager: EntityManager,
    { id, whitelistedMethods, selectors }: Pick<SmartContract, 'id' | 'whitelistedMethods' | 'selectors'>,
  ): Promise<void> {
    await manager
      .getRepository(SmartContractEntity)
      .update({ id }, { whitelistedMethods: [...whitelistedMethods], selectors: [...selectors] });
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.getRepository(SmartContractEntity).delete({ id });
  }
}
