import { ApiProperty } from '@nestjs/swagger';
import { CHAIN_ID } from '../fields/api-fields';
import type { Paymaster } from '../paymasters/paymaster';
import { SuspensionView, toSuspensionView } from '../paymasters/api/paymaster-record.view';
import type { Tenant, TenantPaymaster } from './tenants.repository';

/** What became of a paymaster by an action of the operator. */
export class OperatedPaymasterView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty({ example: 'My dapp' }) readonly name!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null: its owner has not archived it.',
  })
  readonly archivedAt!: string | null;
  @ApiProperty({ type: SuspensionView, nullable: true, description: 'Null: it may sign.' })
  readonly suspension!: SuspensionView | null;
}

/** A paymaster of a tenant, without what it sponsors. */
export class TenantPaymasterView extends OperatedPaymasterView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its newest operation was granted or refused; null before the first.',
  })
  readonly lastUsedAt!: string | null;
}

/** An account of the installation. */
export class TenantView {
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({ example: 'My team' }) readonly name!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ type: 'integer', example: 3 }) readonly members!: number;
  @ApiProperty({ type: [TenantPaymasterView], description: 'Archived and suspended ones too, oldest first.' })
  readonly paymasters!: readonly TenantPaymasterView[];
}

export class TenantPageView {
  @ApiProperty({ type: [TenantView] }) readonly tenants!: readonly TenantView[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Send it as `cursor` for the next page; null on the last one.',
  })
  readonly nextCursor!: string | null;
}

export function toOperatedPaymasterView(paymaster: Paymaster): OperatedPaymasterView {
  const { id, name, chainId, archivedAt } = paymaster;
  return {
    ...{ paymasterId: id, name, chainId, archivedAt: archivedAt?.toISOString() ?? null },
    suspension: toSuspensionView(paymaster),
  };
}

export function toTenantView({ accountId, name, createdAt, members, paymasters }: Tenant): TenantView {
  return { accountId, name, createdAt: createdAt.toISOString(), members, paymasters: paymasters.map(toPaymasterView) };
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
