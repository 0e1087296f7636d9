import { ApiProperty } from '@nestjs/swagger';
import { ADDRESS, CHAIN_ID, TEXT_OR_NULL, TIME_OR_NULL } from '../../platform/fields/api-fields';
import {
  PAYMASTER_VERSIONS,
  type Paymaster,
  type PaymasterCounts,
  type PaymasterVersion,
} from '../../access/paymasters/paymaster';

/** Since when a paymaster signs nothing, and why. */
export class SuspensionView {
  @ApiProperty({ example: 'Its contract is used to drain wallets.', description: 'Clients are told too.' })
  readonly reason!: string;
  @ApiProperty({ format: 'date-time' }) readonly since!: string;
}

/** A paymaster without its key. */
export class PaymasterSummaryView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty({ example: 'My dapp' }) readonly name!: string;
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: 'Shop',
    description: 'Paymasters of the account with the same project belong together; null: to none.',
  })
  readonly project!: string | null;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ enum: PAYMASTER_VERSIONS }) readonly version!: PaymasterVersion;
  @ApiProperty({ ...ADDRESS, nullable: true, description: 'Null before the funding flow was done.' })
  readonly fundingWallet!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Since when it is archived, and signs nothing; null: it is not.' })
  readonly archivedAt!: string | null;
  @ApiProperty({
    type: SuspensionView,
    nullable: true,
    description:
      'Where the operator of this installation lets it sign nothing; null: it may sign. Only he can resume it.',
  })
  readonly suspension!: SuspensionView | null;
}

class CountsView implements PaymasterCounts {
  @ApiProperty({ type: 'integer', example: 2 }) readonly contracts!: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Its own, paused ones too.' }) readonly policies!: number;
  @ApiProperty({ type: 'integer', example: 0 }) readonly sharedPolicies!: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Its own, without those of the chain.' })
  readonly tokens!: number;
  @ApiProperty({ type: 'integer', example: 1 }) readonly webhooks!: number;
  @ApiProperty({ type: 'integer', example: 3, description: 'Named keys.' }) readonly keys!: number;
  @ApiProperty({ type: 'integer', example: 0 }) readonly sessionKeys!: number;
}

/** A paymaster without its key, and how much belongs to it. */
export class PaymasterRecordView extends PaymasterSummaryView {
  @ApiProperty({ type: 'integer', example: 7, description: 'Grows with every change that gateways are told of.' })
  readonly policyVersion!: number;
  @ApiProperty({ type: CountsView }) readonly counts!: PaymasterCounts;
}

export function toPaymasterSummaryView(paymaster: Paymaster): PaymasterSummaryView {
  const { id, name, project, chainId, paymasterVersion, fundingWallet, createdAt, archivedAt } = paymaster;
  return {
    ...{ paymasterId: id, name, project, chainId, version: paymasterVersion, fundingWallet },
    createdAt: createdAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
    suspension: toSuspensionView(paymaster),
  };
}

export function toSuspensionView({
  suspendedAt,
  suspensionReason,
}: Pick<Paymaster, 'suspendedAt' | 'suspensionReason'>): SuspensionView | null {
  if (suspendedAt === null || suspensionReason === null) return null;
  return { reason: suspensionReason, since: suspendedAt.toISOString() };
}
