import { Injectable } from '@nestjs/common';
import type { Address } from '@paymaster/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { SmartContractEntity, type SmartContract } from './smart-contract';

export interface ContractsUsage {
  readonly contracts: number;
  /** Of all whitelists together. */
  readonly selectors: number;
  /** Of all ABI texts together, in UTF-8. */
  readonly abiBytes: number;
}

/** The contracts of a paymaster. */
@Injectable()
export class SmartContractsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them, oldest first. */
  async listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<SmartContract[]> {
    return manager
      .getRepository(SmartContractEntity)
      .find({ where: { paymasterId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** As {@link listOf}, without what is long. */
  async listWithoutAbisOf(
    paymasterId: string,
  ): Promise<Pick<SmartContract, 'name' | 'address' | 'whitelistedMethods' | 'methods'>[]> {
    return this.dataSource.getRepository(SmartContractEntity).find({
      select: { name: true, address: true, whitelistedMethods: true, methods: true },
      where: { paymasterId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  async find(manager: EntityManager, paymasterId: string, address: Address): Promise<SmartContract | null> {
    return manager.getRepository(SmartContractEntity).findOneBy({ paymasterId, address });
  }

  /** The names of all that are there, now, by address. */
  async namesOf(paymasterId: string): Promise<ReadonlyMap<string, string>> {
    const rows = (await this.dataSource.query(
      `SELECT address, name FROM dashboard.smart_contracts WHERE paymaster_id = $1`,
      [paymasterId],
    )) as Pick<SmartContract, 'address' | 'name'>[];
    return new Map(rows.map(({ address, name }) => [address, name]));
  }

  /** The ABI of one that is there, now. */
  async abiOf(paymasterId: string, address: Address): Promise<string | undefined> {
    return (await this.find(this.dataSource.manager, paymasterId, address))?.abi;
  }

  /** The ABIs of all that are there, now, by address. */
  async abisOf(paymasterId: string): Promise<ReadonlyMap<string, string>> {
    const rows = (await this.dataSource.query(
      `SELECT address, abi FROM dashboard.smart_contracts WHERE paymaster_id = $1`,
      [paymasterId],
    )) as Pick<SmartContract, 'address' | 'abi'>[];
    return new Map(rows.map(({ address, abi }) => [address, abi]));
  }

  /** What a paymaster's contracts come to. Exact inside a transaction that holds the paymaster's row. */
  async usageOf(manager: EntityManager, paymasterId: string): Promise<ContractsUsage> {
    const [row] = await manager.query<Array<Record<keyof ContractsUsage, string>>>(
      `SELECT count(*) AS contracts, coalesce(sum(cardinality(selectors)), 0) AS selectors,
         coalesce(sum(octet_length(abi)), 0) AS "abiBytes"
       FROM dashboard.smart_contracts WHERE paymaster_id = $1`,
      [paymasterId],
    );
    const { contracts = 0, selectors = 0, abiBytes = 0 } = row ?? {};
    return { contracts: Number(contracts), selectors: Number(selectors), abiBytes: Number(abiBytes) };
  }

  /** Of all ABI texts together, in UTF-8. */
  async abiBytesOf(paymasterId: string): Promise<number> {
    return (await this.usageOf(this.dataSource.manager, paymasterId)).abiBytes;
  }

  /** By one statement. */
  async insert(manager: EntityManager, contracts: readonly SmartContract[]): Promise<void> {
    if (contracts.length === 0) return;
    await manager.getRepository(SmartContractEntity).insert(contracts.map((contract) => ({ ...contract })));
  }

  async update(manager: EntityManager, contract: SmartContract): Promise<void> {
    await manager.getRepository(SmartContractEntity).update({ id: contract.id }, contract);
  }

  /** By one statement. */
  async delete(manager: EntityManager, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await manager.getRepository(SmartContractEntity).delete([...ids]);
  }
}
