import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PolicyChangePublisher } from './policy-change.publisher';

/** The only way to write what a policy snapshot shows: the version grows with the write, and the gateways are told. */
@Injectable()
export class PolicyWriter {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(PolicyChangePublisher) private readonly publisher: PolicyChangePublisher,
  ) {}

  /**
   * Runs `change` in one transaction with the version's step, and broadcasts after the commit. The step locks the
   * paymaster's row, so changes of one paymaster run one after the other.
   */
  async write<T>(paymasterId: string, change: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { version, result } = await this.dataSource.transaction(async (manager) => ({
      version: await stepVersion(manager, paymasterId),
      result: await change(manager),
    }));
    this.publisher.publish({ paymasterId, version });
    return result;
  }
}

async function stepVersion(manager: EntityManager, paymasterId: string): Promise<number> {
  const [rows] = (await manager.query(
    `UPDATE dashboard.paymasters SET policy_version = policy_version + 1 WHERE id = $1 RETURNING policy_version`,
    [paymasterId],
  )) as [Array<{ policy_version: string }>, number];
  const [row] = rows;
  if (!row) throw new Error(`the paymaster ${paymasterId} is gone`);
  return Number(row.policy_version);
}
