import { Inject, Injectable } from '@nestjs/common';
import type { PolicySnapshot, TokenListing } from '@paymaster/domain';
import type { KnownPolicy } from '@paymaster/messaging';
import { DataSource } from 'typeorm';
import { PaymasterEntity } from '../paymasters/paymaster.entity.db';
import { paymasterOfKey } from '../paymasters/paymaster-of-key.sql';
import { toSponsorshipPolicies } from '../policies/to-sponsorship-policy';
import { listingOf } from '../tokens/token';
import { decisionWebhooks } from '../webhooks/decision-webhooks';
import { RELATED_RECORDS, type RelatedRecords, type TokenRecord } from './related-records.sql';

/** An API key that a gateway asks about: its blind indexes under all live index keys. */
export interface KeyOnChain {
  readonly chainId: number;
  readonly indexes: readonly string[];
}

/** Snapshots as the gateway needs them. */
@Injectable()
export class PolicySnapshotsRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** Whether the policy behind a key's blind indexes is the one that a gateway knows: one row is read, and no more. */
  async isCurrent({ chainId, indexes, known }: KeyOnChain & { known: KnownPolicy }): Promise<boolean> {
    const rows = (await this.dataSource.query(
      `SELECT id, policy_version AS version FROM dashboard.paymasters
        WHERE chain_id = $1 AND id = ${paymasterOfKey('$2')}`,
      [chainId, indexes],
    )) as { id: string; version: string }[];
    return rows[0]?.id === known.paymasterId && Number(rows[0].version) === known.version;
  }

  /** The policy behind a key's blind indexes, or null. One statement, so that all its parts agree with the version. */
  async find({ chainId, indexes }: KeyOnChain): Promise<PolicySnapshot | null> {
    const query = this.dataSource.getRepository(PaymasterEntity).createQueryBuilder('paymaster');
    for (const [name, column] of Object.entries(RELATED_RECORDS)) query.addSelect(column, name);
    const { entities, raw } = await query
      .where(`paymaster.chainId = :chainId AND paymaster.id = ${paymasterOfKey(':indexes')}`)
      .setParameters({ chainId, indexes })
      .getRawAndEntities<RelatedRecords>();
    return entities[0] && raw[0] ? toSnapshot(entities[0], raw[0]) : null;
  }
}

function toSnapshot(paymaster: PaymasterEntity, related: RelatedRecords): PolicySnapshot {
  const secretVersions = new Map((related.secrets ?? []).map(({ id, versions }) => [id, versions]));
  return {
    paymasterId: paymaster.id,
    version: paymaster.policyVersion,
    name: paymaster.name,
    chainId: paymaster.chainId,
    paymasterVersion: paymaster.paymasterVersion,
    fundingWallet: paymaster.fundingWallet,
    contracts: related.contracts ?? [],
    tokens: (related.tokens ?? []).map(toListing),
    policies: [
      ...toSponsorshipPolicies(related.policies ?? [], secretVersions),
      ...decisionWebhooks(related.webhooks ?? [], secretVersions),
    ],
    settings: { ...paymaster.settings, liveSignatureCaps: { ...paymaster.settings.liveSignatureCaps } },
  };
}

function toListing(record: TokenRecord): TokenListing {
  const { feedAddress: address, feedHeartbeatSeconds: heartbeatSeconds, apiId, fixedUsd, exposureCapWei } = record;
  const feed = address !== null && heartbeatSeconds !== null ? { address, heartbeatSeconds } : null;
  return listingOf({
    ...record,
    price: { feed, apiId, fixedUsd },
    exposureCapWei: exposureCapWei === null ? null : BigInt(exposureCapWei),
  });
}
