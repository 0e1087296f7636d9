import { Inject, Injectable } from '@nestjs/common';
import type { Address, Hex, PolicySnapshot } from '@paymaster/domain';
import { DataSource } from 'typeorm';
import { PaymasterEntity } from '../paymasters/paymaster.entity.db';
import { SmartContractEntity } from '../smart-contracts/smart-contract.entity.db';

/** Snapshots as the gateway needs them. */
@Injectable()
export class PolicySnapshotsRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** The policy behind a key's blind index, or null. One transaction snapshot, so version and contracts agree. */
  async find(chainId: number, apiKeyIndex: string): Promise<PolicySnapshot | null> {
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      const paymaster = await manager.getRepository(PaymasterEntity).findOneBy({ chainId, apiKeyIndex });
      if (!paymaster) return null;
      // ABI texts stay in Postgres.
      const contracts = await manager.getRepository(SmartContractEntity).find({
        select: { id: true, address: true, selectors: true },
        where: { paymasterId: paymaster.id },
        order: { createdAt: 'ASC', id: 'ASC' },
      });
      return toSnapshot(paymaster, contracts);
    });
  }
}

function toSnapshot(
  paymaster: PaymasterEntity,
  contracts: ReadonlyArray<{ address: Address; selectors: Hex[] }>,
): PolicySnapshot {
  return {
    paymasterId: paymaster.id,
    version: paymaster.policyVersion,
    name: paymaster.name,
    chainId: paymaster.chainId,
    paymasterVersion: paymaster.paymasterVersion,
    fundingWallet: paymaster.fundingWallet,
    contracts: contracts.map(({ address, selectors }) => ({ address, selectors })),
    tokens: [],
    settings: { ...paymaster.settings },
  };
}
