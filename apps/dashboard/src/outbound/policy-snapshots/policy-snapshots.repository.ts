import { Injectable } from '@nestjs/common';
import {
  listingOf,
  TOKEN_TERMS,
  toPriceReference,
  withCapsTogether,
  type PolicySnapshot,
  type TokenListing,
} from '@paymaster/domain';
import {
  fromWire,
  MAX_POLICY_NEWS,
  type KnownPolicy,
  type PolicyChangedEvent,
  type PolicyNews,
  type ResolvedPolicy,
} from '@paymaster/messaging';
import { DataSource } from 'typeorm';
import { isLastingKey, keyRecordOf, namedKeyOf, paymasterOfAnyKey } from '../../programs/named-keys/key-of-index.sql';
import { LastUses } from '../../programs/named-keys/last-uses';
import { toKeyGrant, type KeyRecord } from '../../programs/named-keys/named-key';
import { Paymaster } from '../../access/paymasters/paymaster';
import { paymasterOfKey } from '../../access/paymasters/paymaster-of-key.sql';
import { sharedToSponsorshipPolicy } from '../../programs/policies/shared-policy';
import { toSponsorshipPolicies } from '../../programs/policies/to-sponsorship-policy';
import { decisionWebhooks } from '../webhooks/decision-webhooks';
import { RELATED_RECORDS, type RelatedRecords, type TokenRecord } from './related-records.sql';

/** An API key that a gateway asks about: its blind indexes under all live index keys. */
export interface KeyOnChain {
  readonly chainId: number;
  readonly indexes: readonly string[];
  /** The gateway keeps to what named keys may do; to others they are unknown. */
  readonly namedKeys?: boolean;
  /** The gateway refuses for suspended paymasters; to others they are unknown. */
  readonly suspensions?: boolean;
}

interface SnapshotRecords extends RelatedRecords {
  /** Null for the paymaster's own key. */
  readonly key: KeyRecord | null;
  readonly lasting: boolean;
}

/** Snapshots as the gateway needs them. */
@Injectable()
export class PolicySnapshotsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lastUses: LastUses,
  ) {}

  /**
   * Confirms that the policy behind a key's blind indexes is the one that a gateway knows: one row is read, and no more.
   *
   * @returns null when it is another one
   */
  async confirm({
    chainId,
    indexes,
    namedKeys = false,
    suspensions = false,
    known,
  }: KeyOnChain & { known: KnownPolicy }): Promise<Omit<ResolvedPolicy, 'policy'> | null> {
    const rows = (await this.dataSource.query(
      `SELECT id, policy_version AS version, ${namedKeyOf('$2')} AS "keyId", ${isLastingKey('$2')} AS lasting
         FROM dashboard.paymasters
        WHERE chain_id = $1 AND archived_at IS NULL AND (suspended_at IS NULL OR $3)
          AND id = ${paymasterOf('$2', namedKeys)}`,
      [chainId, indexes, suspensions],
    )) as { id: string; version: string; keyId: string | null; lasting: boolean }[];
    const [row] = rows;
    if (row?.id !== known.paymasterId || Number(row.version) !== known.version) return null;
    if (row.keyId !== null) this.lastUses.note(row.keyId);
    return { lasting: row.lasting };
  }

  /** The policy behind a key's blind indexes, or null; also null for an archived paymaster. One statement, so that all its parts agree with the version. */
  async find({ chainId, indexes, namedKeys = false, suspensions = false }: KeyOnChain): Promise<ResolvedPolicy | null> {
    const query = this.dataSource.getRepository(Paymaster).createQueryBuilder('paymaster');
    for (const [name, column] of Object.entries(RELATED_RECORDS)) query.addSelect(column, name);
    const { entities, raw } = await query
      .addSelect(keyRecordOf(':indexes'), 'key')
      .addSelect(isLastingKey(':indexes'), 'lasting')
      .where(
        `paymaster.chainId = :chainId AND paymaster.archivedAt IS NULL
           AND (paymaster.suspendedAt IS NULL OR :suspensions) AND paymaster.id = ${paymasterOf(':indexes', namedKeys)}`,
      )
      .setParameters({ chainId, indexes, suspensions })
      .getRawAndEntities<SnapshotRecords>();
    if (!entities[0] || !raw[0]) return null;
    const policy = toSnapshot(entities[0], raw[0]);
    if (policy.key) this.lastUses.note(policy.key.keyId);
    return { policy, lasting: raw[0].lasting };
  }

  /** @param since a number of a gateway's; undefined when it has none */
  async news(since: number | undefined): Promise<PolicyNews> {
    const rows = (await this.dataSource.query(
      `SELECT last_number AS number, (SELECT json_agg(c) FROM (
          SELECT paymaster_id AS "paymasterId", version FROM dashboard.policy_changes WHERE number > $1 LIMIT $2) c) AS changed
         FROM dashboard.policy_change_counter`,
      [since, MAX_POLICY_NEWS + 1],
    )) as { number: string; changed: PolicyChangedEvent[] | null }[];
    const number = Number(rows[0]?.number);
    const changed = rows[0]?.changed ?? [];
    const isComplete = since !== undefined && since <= number && changed.length <= MAX_POLICY_NEWS;
    return isComplete ? { number, changed } : { number };
  }
}

function paymasterOf(indexes: string, namedKeys: boolean): string {
  return namedKeys ? paymasterOfAnyKey(indexes) : paymasterOfKey(indexes);
}

function toSnapshot(paymaster: Paymaster, related: SnapshotRecords): PolicySnapshot {
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
      ...(related.sharedPolicies ?? []).filter(({ active }) => active).map(sharedToSponsorshipPolicy),
      ...decisionWebhooks(related.webhooks ?? [], secretVersions),
    ],
    settings: withCapsTogether(paymaster.settings),
    key: related.key && toKeyGrant(related.key),
    sessionKeys: related.sessionKeys ?? [],
    suspensionReason: paymaster.suspensionReason,
    contractErrors: related.contractErrors ?? [],
  };
}

function toListing(record: TokenRecord): TokenListing {
  const { feedAddress: address, feedHeartbeatSeconds: heartbeatSeconds, apiId, fixedUsd, priceOthers } = record;
  const feed = address !== null && heartbeatSeconds !== null ? { address, heartbeatSeconds } : null;
  const price = toPriceReference({ ...priceOthers, feed, apiId, fixedUsd });
  return listingOf({ ...fromWire<Omit<TokenListing, 'price'>>(TOKEN_TERMS, record), price });
}
