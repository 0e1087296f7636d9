import { Inject, Injectable } from '@nestjs/common';
import type { Address, Hex, PolicySnapshot } from '@paymaster/domain';
import type { KnownPolicy } from '@paymaster/messaging';
import { DataSource } from 'typeorm';
import { PaymasterEntity } from '../paymasters/paymaster.entity.db';
import { PoliciesRepository } from '../policies/policies.repository';
import type { Policy } from '../policies/policy';
import { toSponsorshipPolicies } from '../policies/to-sponsorship-policy';
import { SmartContractEntity } from '../smart-contracts/smart-contract.entity.db';
import { listingOf, type Token } from '../tokens/token';
import { TokenEntity } from '../tokens/token.entity.db';
import { decisionWebhooks } from '../webhooks/decision-webhooks';
import type { Webhook } from '../webhooks/webhook';
import { WebhooksRepository } from '../webhooks/webhooks.repository';

/** Snapshots as the gateway needs them. */
@Injectable()
export class PolicySnapshotsRepository {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(PoliciesRepository) private readonly policies: PoliciesRepository,
    @Inject(WebhooksRepository) private readonly webhooks: WebhooksRepository,
  ) {}

  /** Whether the policy behind a key's blind index is the one that a gateway knows: one row is read, and no more. */
  async isCurrent(question: { chainId: number; apiKeyIndex: string; known: KnownPolicy }): Promise<boolean> {
    const { chainId, apiKeyIndex, known } = question;
    const rows = (await this.dataSource.query(
      `SELECT id, policy_version AS version FROM dashboard.paymasters WHERE chain_id = $1 AND api_key_index = $2`,
      [chainId, apiKeyIndex],
    )) as { id: string; version: string }[];
    return rows[0]?.id === known.paymasterId && Number(rows[0].version) === known.version;
  }

  /** The policy behind a key's blind index, or null. One transaction snapshot, so that all its parts agree with the version. */
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
      const policies = await this.policies.listOf(paymaster.id, manager);
      const webhooks = await this.webhooks.listOf(paymaster.id, manager);
      const signed = [...policies.filter(({ policyType }) => policyType === 'WEBHOOK'), ...webhooks];
      // Most paymasters have none, and a question about none is a round trip too.
      const secretVersions =
        signed.length === 0
          ? new Map()
          : await this.webhooks.secretVersions(
              signed.map(({ id }) => id),
              manager,
            );
      return toSnapshot({ paymaster, contracts, tokens, policies, webhooks, secretVersions });
    });
  }
}

interface Records {
  readonly paymaster: PaymasterEntity;
  readonly contracts: ReadonlyArray<{ readonly address: Address; readonly selectors: Hex[] }>;
  readonly tokens: readonly Token[];
  readonly policies: readonly Policy[];
  readonly webhooks: readonly Webhook[];
  readonly secretVersions: ReadonlyMap<string, readonly number[]>;
}

function toSnapshot(records: Records): PolicySnapshot {
  const { paymaster, contracts, tokens, policies, webhooks, secretVersions } = records;
  return {
    paymasterId: paymaster.id,
    version: paymaster.policyVersion,
    name: paymaster.name,
    chainId: paymaster.chainId,
    paymasterVersion: paymaster.paymasterVersion,
    fundingWallet: paymaster.fundingWallet,
    contracts: contracts.map(({ address, selectors }) => ({ address, selectors })),
    tokens: tokens.map(listingOf),
    policies: [...toSponsorshipPolicies(policies, secretVersions), ...decisionWebhooks(webhooks, secretVersions)],
    settings: { ...paymaster.settings, liveSignatureCaps: { ...paymaster.settings.liveSignatureCaps } },
  };
}
