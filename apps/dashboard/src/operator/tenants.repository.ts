import { Injectable } from '@nestjs/common';
import type { Address } from '@paymaster/domain';
import { DataSource } from 'typeorm';
import type { PagePlace } from '../platform/http/page-cursor';

const PAGE_SIZE = 20;

/** A paymaster as the operator sees it: what tells it apart, and nothing of what it sponsors. */
export interface TenantPaymaster {
  readonly paymasterId: string;
  readonly name: string;
  readonly chainId: number;
  readonly archivedAt: string | null;
  readonly suspendedAt: string | null;
  readonly suspensionReason: string | null;
  /** When its newest operation was granted or refused; null before the first. */
  readonly lastUsedAt: string | null;
  /** Null before its owner linked a wallet. */
  readonly fundingWallet: Address | null;
  /** Of its operations of the last 30 days. */
  readonly money: TenantMoney;
}

/** What was spent and received, as `GET /usage` has it; USD times 1e36. */
export interface TenantMoney {
  readonly spentWei: string;
  readonly spentUsdE36: string;
  readonly receivedUsdE36: string;
  readonly unpriced: number;
  readonly unrecorded: number;
}

/** An account as the operator sees it. */
export interface Tenant {
  readonly accountId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly members: number;
  /** Archived and suspended ones too, oldest first. */
  readonly paymasters: readonly TenantPaymaster[];
}

export interface TenantPage {
  readonly tenants: readonly Tenant[];
  readonly next: PagePlace | null;
}

/** The accounts of the installation; only for its operator. */
@Injectable()
export class TenantsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * At most 20 accounts, the newest first. What each paymaster did last, and spent, is found by an index.
   *
   * @param search the id of an account or a paymaster, or a part of its name, in any case
   */
  async page({ search, after }: { search?: string; after?: PagePlace }): Promise<TenantPage> {
    const rows = (await this.dataSource.query(
      `WITH page AS (
         SELECT a.id, a.name, a.created_at FROM dashboard.accounts a
          WHERE ($1::bigint IS NULL
                 OR (a.created_at, a.id) < ('epoch'::timestamptz + $1::bigint * interval '1 microsecond', $2::uuid))
            AND ($3::text IS NULL OR a.id::text = lower($3) OR position(lower($3) IN lower(a.name)) > 0
                 OR EXISTS (SELECT FROM dashboard.paymasters p WHERE p.account_id = a.id
                             AND (p.id::text = lower($3) OR position(lower($3) IN lower(p.name)) > 0)))
          ORDER BY a.created_at DESC, a.id DESC LIMIT $4)
       SELECT id AS "accountId", name, created_at AS "createdAt",
              (extract(epoch FROM created_at) * 1000000)::bigint::text AS "atUs",
              (SELECT count(*)::int FROM dashboard.members m WHERE m.account_id = page.id) AS members,
              coalesce((
                SELECT json_agg(json_build_object(
                         'paymasterId', p.id, 'name', p.name, 'chainId', p.chain_id, 'archivedAt', p.archived_at,
                         'suspendedAt', p.suspended_at, 'suspensionReason', p.suspension_reason,
                         'lastUsedAt', (SELECT o.created_at FROM dashboard.operations o WHERE o.paymaster_id = p.id
                                         ORDER BY o.created_at DESC LIMIT 1),
                         'fundingWallet', p.funding_wallet,
                         'money', (SELECT json_build_object(
                                            'spentWei', coalesce(sum(u.spent_wei), 0)::text,
                                            'spentUsdE36', trunc(coalesce(sum(u.spent_usd), 0) * 1e36)::text,
                                            'receivedUsdE36', trunc(coalesce(sum(u.received_usd), 0) * 1e36)::text,
                                            'unpriced', coalesce(sum(u.unpriced), 0),
                                            'unrecorded', coalesce(sum(u.unrecorded), 0))
                                     FROM dashboard.usage_hours u
                                    WHERE u.paymaster_id = p.id AND u.hour > now() - interval '30 days'))
                       ORDER BY p.created_at, p.id)
                  FROM dashboard.paymasters p WHERE p.account_id = page.id), '[]') AS paymasters
         FROM page ORDER BY created_at DESC, id DESC`,
      [after?.atUs ?? null, after?.id ?? null, search ?? null, PAGE_SIZE + 1],
    )) as (Tenant & { readonly atUs: string })[];
    const shown = rows.slice(0, PAGE_SIZE);
    const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
    return { tenants: shown, next: last ? { atUs: last.atUs, id: last.accountId } : null };
  }
}
