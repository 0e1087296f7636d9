import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { isUuid } from '../../platform/database/uuid';
import type { PagePlace } from '../../platform/http/page-cursor';
import type {
  Counters,
  Money,
  Operation,
  OperationFacts,
  OperationFilter,
  UsageOfPart,
  UsageOfPaymaster,
  UsagePart,
  UsagePoint,
} from './operation';

const COLUMNS = `
  id, paymaster_id AS "paymasterId", state, mode, token, native_usd::text AS "nativeUsd", chain_id::text AS "chainId", sender, nonce::text AS nonce,
  entry_point_version AS "entryPointVersion", request_id AS "requestId", grants, policy_id AS "policyId",
  policy_version::text AS "policyVersion", reason, message, funding_wallet AS "fundingWallet",
  expected_cost_wei::text AS "expectedCostWei", valid_until::text AS "validUntil",
  actual_cost_wei::text AS "actualCostWei", gas_cost_wei::text AS "gasCostWei", success,
  user_op_hash AS "userOpHash", transaction_hash AS "transactionHash", block_number::text AS "blockNumber",
  void_reason AS "voidReason", bundler, created_at AS "createdAt", updated_at AS "updatedAt",
  (extract(epoch FROM created_at) * 1000000)::bigint::text AS "atUs"`;
/** What is long. */
const DETAILS = 'details, targets, trace';
const NO_DETAILS = 'NULL AS details, targets, NULL AS trace';

/** The column of each fact. The index that finds its operations, newest first, begins with the paymaster's id. */
const COLUMN_OF: Readonly<Record<keyof OperationFacts, string>> = {
  /** operations_pkey */
  id: 'id',
  /** operations_paymaster_id_state_created_at_id_idx */
  state: 'state',
  /** operations_paymaster_id_reason_created_at_id_idx */
  reason: 'reason',
  /** operations_paymaster_id_sender_created_at_id_idx */
  sender: 'sender',
  /** operations_paymaster_id_user_op_hash_created_at_id_idx */
  userOpHash: 'user_op_hash',
  /** operations_paymaster_id_request_id_created_at_id_idx */
  requestId: 'request_id',
  /** operations_paymaster_id_transaction_hash_created_at_id_idx */
  transactionHash: 'transaction_hash',
  /** operations_paymaster_id_policy_id_created_at_id_idx */
  policyId: 'policy_id',
};

const MOST_PARTS = 100;

const COUNTERS = `
  sum(granted)::text AS granted, sum(refused)::text AS refused, sum(settled)::text AS settled,
  sum(reverted)::text AS reverted, sum(voided)::text AS voided`;

const MONEY = `
  sum(spent_wei)::text AS "spentWei", trim_scale(sum(spent_usd))::text AS "spentUsd", sum(unpriced)::text AS unpriced,
  trim_scale(sum(received_usd))::text AS "receivedUsd", sum(unrecorded)::text AS unrecorded,
  trim_scale(sum(spent_usd) - sum(received_usd))::text AS "netUsd"`;

type OperationRow = Omit<Operation, 'chainId' | 'policyVersion' | 'validUntil'> & {
  readonly chainId: string;
  readonly policyVersion: string | null;
  readonly validUntil: string | null;
  readonly atUs: string;
};

/** A page of the list, and where the next one starts. */
export interface OperationPage {
  readonly operations: readonly Operation[];
  readonly next: PagePlace | null;
}

/** Which part of a list. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: PagePlace;
  /** Without trace and details. */
  readonly isBrief?: boolean;
}

/** Whose spending is wanted. */
export interface SpentQuery {
  readonly paymasterId: string;
  readonly chainId: number;
  readonly fundingWallet: string;
  readonly entryPointVersion: string;
  readonly since: Date;
}

/** Reads the copy that {@link OperationsProjection} keeps. */
@Injectable()
export class OperationsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Operations that match, newest first, after `cursor`. Each paymaster of the owner gives its newest by an index, so
   * that neither its other operations nor those of other owners are read: by operations_paymaster_id_created_at_id_idx,
   * by operation_targets_pkey where a contract or a method is named, else by the index of {@link COLUMN_OF}.
   */
  async page(filter: OperationFilter, request: PageRequest): Promise<OperationPage> {
    const values: unknown[] = [];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const { owner, contract, method, cursor } = { ...filter, ...request };
    const target = [contract, method].filter(Boolean).join(':');
    const place = target ? 'place' : 'o';
    const owned =
      'paymasterId' in owner
        ? `SELECT ${bind(owner.paymasterId)}::uuid AS paymaster_id`
        : `SELECT id AS paymaster_id FROM dashboard.paymasters WHERE account_id = ${bind(owner.accountId)}`;
    const has = (facts: OperationFacts) =>
      Object.entries(COLUMN_OF).flatMap(([fact, column]) => {
        const value = facts[fact as keyof OperationFacts];
        return value ? [`o.${column} = ${bind(value)}`] : [];
      });
    const conditions = [
      `${place}.paymaster_id = owned.paymaster_id`,
      target && `place.target = ${bind(target)}`,
      ...has(filter),
      filter.from && `${place}.created_at >= ${bind(filter.from)}`,
      filter.to && `${place}.created_at < ${bind(filter.to)}`,
      cursor &&
        `(${place}.created_at, ${place}.id) < ('epoch'::timestamptz + ${bind(cursor.atUs)}::bigint * interval '1 microsecond',
                                         ${bind(cursor.id)}::uuid)`,
    ].filter(Boolean);
    const most = bind(request.limit + 1);
    const source = target
      ? 'dashboard.operation_targets place JOIN dashboard.operations o ON o.id = place.id'
      : 'dashboard.operations o';
    // Each meaning of a searched text is found by the index of its own column.
    const newest = (filter.anyOf ?? [{}]).map(
      (meaning) =>
        `(SELECT ${place}.id, ${place}.created_at FROM ${source}
           WHERE ${[...conditions, ...has(meaning)].join(' AND ')}
           ORDER BY ${place}.created_at DESC, ${place}.id DESC LIMIT ${most})`,
    );
    const rows = (await this.dataSource.query(
      `WITH owned AS (${owned}),
            page AS (
              SELECT newest.id, newest.created_at FROM owned CROSS JOIN LATERAL (${newest.join(' UNION ')}) newest
               ORDER BY created_at DESC, id DESC LIMIT ${most})
       SELECT ${COLUMNS}, ${request.isBrief ? NO_DETAILS : DETAILS} FROM dashboard.operations
        WHERE id IN (SELECT id FROM page) ORDER BY created_at DESC, id DESC`,
      values,
    )) as OperationRow[];
    const shown = rows.slice(0, request.limit);
    const last = shown.at(-1);
    return {
      operations: shown.map(toOperation),
      next: rows.length > shown.length && last ? { atUs: last.atUs, id: last.id } : null,
    };
  }

  /** The paymaster's operation, or null: another paymaster's looks like one that does not exist. */
  async find(paymasterId: string, id: string): Promise<Operation | null> {
    if (!isUuid(id)) return null;
    const rows = (await this.dataSource.query(
      `SELECT ${COLUMNS}, ${DETAILS} FROM dashboard.operations WHERE paymaster_id = $1 AND id = $2`,
      [paymasterId, id],
    )) as OperationRow[];
    return rows[0] ? toOperation(rows[0]) : null;
  }

  /** Since when the spending brake stops the paymaster, by contract; none that the owner released since. */
  async stops({ id, fundingWallet, settings }: Paymaster): Promise<ReadonlyMap<string, Date>> {
    const rows = (await this.dataSource.query(
      `SELECT contract, stopped_at AS "stoppedAt" FROM dashboard.wallet_stops
        WHERE paymaster_id = $1 AND funding_wallet = $2 AND released_ms >= $3`,
      [id, fundingWallet, settings.brakeReleasedAtMs],
    )) as { contract: string; stoppedAt: Date }[];
    return new Map(settings.spendingBrake ? rows.map(({ contract, stoppedAt }) => [contract, stoppedAt]) : []);
  }

  /** Operations that were granted in [from, to), oldest first, page by page. */
  async *past(
    period: { paymasterId: string; from: Date; to: Date },
    limit: number,
  ): AsyncGenerator<readonly Operation[]> {
    let after: PagePlace | undefined;
    for (;;) {
      const rows = (await this.dataSource.query(
        `SELECT ${COLUMNS}, targets, NULL AS details, NULL AS trace FROM dashboard.operations
          WHERE paymaster_id = $1 AND created_at >= $2 AND created_at < $3 AND state <> 'refused'
            AND ($4::bigint IS NULL
                 OR (created_at, id) > ('epoch'::timestamptz + $4::bigint * interval '1 microsecond', $5::uuid))
          ORDER BY created_at, id LIMIT $6`,
        [period.paymasterId, period.from, period.to, after?.atUs ?? null, after?.id ?? null, limit],
      )) as OperationRow[];
      yield rows.map(toOperation);
      after = rows.at(-1);
      if (rows.length < limit) return;
    }
  }

  /** Counters per hour or day (UTC) in [from, to), hours in which nothing happened left out. */
  async usage(query: { paymasterId: string; from: Date; to: Date; interval: 'hour' | 'day' }): Promise<UsagePoint[]> {
    const { paymasterId, from, to, interval } = query;
    const rows = (await this.dataSource.query(
      `SELECT date_trunc($4, hour, 'UTC') AS start, ${COUNTERS}, ${MONEY},
              sum(gas_used)::text AS "gasUsed", sum(gas_cost_wei)::text AS "gasCostWei"
         FROM dashboard.usage_hours WHERE paymaster_id = $1 AND hour >= $2 AND hour < $3
        GROUP BY 1 ORDER BY 1`,
      [paymasterId, from, to, interval],
    )) as (Record<Exclude<keyof UsagePoint, 'start'>, string> & { start: Date })[];
    return rows.map(({ start, gasUsed, gasCostWei, ...row }) => ({
      ...{ start, ...countersOf(row), ...moneyOf(row), gasUsed, gasCostWei },
    }));
  }

  /** Counters of each paymaster of an account in [from, to), of those for which something happened. */
  async usageOfPaymasters(query: { accountId: string; from: Date; to: Date }): Promise<UsageOfPaymaster[]> {
    const rows = (await this.dataSource.query(
      `SELECT p.id AS "paymasterId", sums.* FROM dashboard.paymasters p CROSS JOIN LATERAL (
         SELECT ${COUNTERS}, ${MONEY} FROM dashboard.usage_hours
          WHERE paymaster_id = p.id AND hour >= $2 AND hour < $3 HAVING count(*) > 0) sums
        WHERE p.account_id = $1 ORDER BY p.created_at, p.id`,
      [query.accountId, query.from, query.to],
    )) as Record<keyof UsageOfPaymaster, string>[];
    return rows.map(({ paymasterId, ...row }) => ({ paymasterId, ...countersOf(row), ...moneyOf(row) }));
  }

  /**
   * Counters of each part over whole days (UTC), the dearest first; of the 100 that cost most. With `eachDay` a row for
   * each day in which something of the part happened, the oldest first.
   */
  async usageBy(query: {
    paymasterId: string;
    from: Date;
    to: Date;
    by: UsagePart;
    eachDay: boolean;
  }): Promise<UsageOfPart[]> {
    const { paymasterId, from, to, by, eachDay } = query;
    const source = `
      FROM dashboard.usage_parts WHERE paymaster_id = $1 AND part = $2
       AND day >= ($3::timestamptz AT TIME ZONE 'UTC')::date AND day < $4::timestamptz AT TIME ZONE 'UTC'`;
    const dearest = `ORDER BY sum(spent_wei) DESC, sum(granted) DESC, key LIMIT ${MOST_PARTS}`;
    const rows = (await this.dataSource.query(
      `SELECT key, ${eachDay ? `day::timestamp AT TIME ZONE 'UTC'` : '$3::timestamptz'} AS start,
              sum(granted)::text AS granted, sum(settled)::text AS settled, sum(reverted)::text AS reverted,
              sum(voided)::text AS voided, ${MONEY}, sum(received)::text AS received ${source}
       ${eachDay ? `AND key IN (SELECT key ${source} GROUP BY key ${dearest}) GROUP BY key, day ORDER BY day, key` : `GROUP BY key ${dearest}`}`,
      [paymasterId, by, from, to],
    )) as (Record<Exclude<keyof UsageOfPart, 'start'>, string> & { start: Date })[];
    return rows.map(({ key, start, granted, settled, reverted, voided, received, ...money }) => ({
      ...{ key, start, granted: Number(granted), settled: Number(settled), reverted: Number(reverted) },
      ...{ voided: Number(voided), ...moneyOf(money), ...(by === 'token' && { received }) },
    }));
  }

  /** What the paymaster's operations of one EntryPoint cost its funding wallet since then; wei. */
  async spentWei(query: SpentQuery): Promise<bigint> {
    const { paymasterId, chainId, fundingWallet, entryPointVersion, since } = query;
    const [row] = (await this.dataSource.query(
      `SELECT coalesce(sum(actual_cost_wei), 0)::text AS sum FROM dashboard.operations
        WHERE paymaster_id = $1 AND chain_id = $2 AND funding_wallet = $3 AND created_at >= $4
          AND entry_point_version = $5
          AND state IN ('landed', 'settled')`,
      [paymasterId, chainId, fundingWallet, since, entryPointVersion],
    )) as { sum: string }[];
    return BigInt(row?.sum ?? '0');
  }
}

function countersOf(row: Record<keyof Counters, string>): Counters {
  const [granted, refused, settled] = [Number(row.granted), Number(row.refused), Number(row.settled)];
  return { granted, refused, settled, reverted: Number(row.reverted), voided: Number(row.voided) };
}

function moneyOf({ spentWei, spentUsd, receivedUsd, netUsd, ...counts }: Record<keyof Money, string>): Money {
  const [unpriced, unrecorded] = [Number(counts.unpriced), Number(counts.unrecorded)];
  return { spentWei, spentUsd, unpriced, receivedUsd, unrecorded, netUsd };
}

function toOperation({ chainId, policyVersion, validUntil, ...row }: OperationRow): Operation {
  return {
    ...row,
    chainId: Number(chainId),
    policyVersion: policyVersion === null ? null : Number(policyVersion),
    validUntil: validUntil === null ? null : Number(validUntil),
  };
}
