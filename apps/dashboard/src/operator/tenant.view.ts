import { ApiProperty } from '@nestjs/swagger';
import { MoneyView } from '../activity/operations/operation.view';
import { CHAIN_ID, NEXT_CURSOR, TIME_OR_NULL, WEI } from '../platform/fields/api-fields';
import type { Paymaster } from '../access/paymasters/paymaster';
import { SuspensionView, toSuspensionView } from '../programs/paymasters/paymaster-record.view';
import type { ChainFunds } from './tenant-funds.service';
import type { Tenant, TenantPaymaster } from './tenants.repository';

/** What became of a paymaster by an action of the operator. */
export class OperatedPaymasterView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty({ example: 'My dapp' }) readonly name!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Null: its owner has not archived it.' })
  readonly archivedAt!: string | null;
  @ApiProperty({ type: SuspensionView, nullable: true, description: 'Null: it may sign.' })
  readonly suspension!: SuspensionView | null;
}

/** A paymaster of a tenant, without what it sponsors. */
export class TenantPaymasterView extends OperatedPaymasterView {
  @ApiProperty({
    ...TIME_OR_NULL,
    description: 'When its newest operation was granted or refused; null before the first.',
  })
  readonly lastUsedAt!: string | null;
}

/** A tenant's money on a chain. */
export class ChainFundsView extends MoneyView {
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({
    ...WEI,
    nullable: true,
    description: 'What its funding wallets can spend, each wallet once; wei. Null where no gateway knows it.',
  })
  readonly spendableWei!: string | null;
}

/** An account of the installation. */
export class TenantView {
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({ example: 'My team' }) readonly name!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ type: 'integer', example: 3 }) readonly members!: number;
  @ApiProperty({ type: [TenantPaymasterView], description: 'Archived and suspended ones too, oldest first.' })
  readonly paymasters!: readonly TenantPaymasterView[];
  @ApiProperty({
    type: [ChainFundsView],
    description: 'For each chain on which it has a paymaster; what was spent and received, of the last 30 days.',
  })
  readonly funds!: readonly ChainFundsView[];
}

export class TenantPageView {
  @ApiProperty({ type: [TenantView] }) readonly tenants!: readonly TenantView[];
  @ApiProperty(NEXT_CURSOR) readonly nextCursor!: string | null;
}

export function toOperatedPaymasterView(paymaster: Paymaster): OperatedPaymasterView {
  const { id, name, chainId, archivedAt } = paymaster;
  return {
    ...{ paymasterId: id, name, chainId, archivedAt: archivedAt?.toISOString() ?? null },
    suspension: toSuspensionView(paymaster),
  };
}

export function toTenantView(tenant: Tenant, funds: readonly ChainFunds[]): TenantView {
  const { accountId, name, createdAt, members, paymasters } = tenant;
  return {
    ...{ accountId, name, createdAt: createdAt.toISOString(), members, paymasters: paymasters.map(toPaymasterView) },
    funds: funds.map(({ chainId, spendableWei, money }) => ({
      ...{ chainId, spendableWei: spendableWei?.toString() ?? null, ...money },
    })),
  };
}

function toPaymasterView(paymaster: TenantPaymaster): TenantPaymasterView {
  const { paymasterId, name, chainId, archivedAt, suspendedAt, suspensionReason, lastUsedAt } = paymaster;
  return {
    ...{ paymasterId, name, chainId, archivedAt: utc(archivedAt), lastUsedAt: utc(lastUsedAt) },
    suspension: toSuspensionView({ suspendedAt: suspendedAt ? new Date(suspendedAt) : null, suspensionReason }),
  };
}

/** Postgres writes times in JSON with its own offset. */
function utc(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
