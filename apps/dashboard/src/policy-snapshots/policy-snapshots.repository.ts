import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_LIVE_SIGNATURE_CAPS, type Address, type Hex, type PolicySnapshot } from '@paymaster/domain';
import { DataSource } from 'typeorm';
import { PaymasterEntity } from '../paymasters/paymaster.entity.db';
import { SmartContractEntity } from '../smart-contracts/smart-contract.entity.db';
import { listingOf, type Token } from '../tokens/token';
import { TokenEntity } from '../tokens/token.entity.db';

/** Snapshots as the gateway needs them. */
@Injectable()
export class PolicySnapshotsRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** The policy behind a key's blind index, or null. One transaction snapshot, so version, contracts and tokens agree. */
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
      const tokens = await manager
        .getRepository(TokenEntity)
        .find({ where: { paymasterId: paymaster.id }, order: { createdAt: 'ASC', id: 'ASC' } });
      return toSnapshot(paymaster, contracts, tokens);
    });
  }
}

function toSnapshot(
  paymaster: PaymasterEntity,
  contracts: ReadonlyArray<{ address: Address; selectors: Hex[] }>,
  tokens: readonly Token[],
): PolicySnapshot {
  return {
    paymasterId: paymaster.id,
    version: paymaster.policyVersion,
    name: paymaster.name,
    chainId: paymaster.chainId,
    paymasterVersion: paymaster.paymasterVersion,
    fundingWallet: paymaster.fundingWallet,
    contracts: contracts.map(({ address, selectors }) => ({ address, selectors })),
    tokens: tokens.map(listingOf),
    policies: [],
    settings: { ...paymaster.settings, liveSignatureCaps: DEFAULT_LIVE_SIGNATURE_CAPS },
  };
}
