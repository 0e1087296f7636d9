import { ApiProperty } from '@nestjs/swagger';
import {
  CHARGING_WAYS,
  ON_LIMIT_REACHED,
  ON_REFUSAL,
  SPONSOR_DEPLOYMENTS,
  TOKEN_MODES,
  type Address,
  type ChargingWay,
  type OnLimitReached,
  type OnRefusal,
  type PaymasterSettings,
  type SponsorDeployments,
  type TokenMode,
} from '@paymaster/domain';
import { ADDRESS, WEI } from '../../platform/fields/api-fields';

/** The settings of a paymaster as REST shows them; wei as decimal digits. */
export class SettingsView implements Omit<
  PaymasterSettings,
  'maxOperationCostWei' | 'liveSignatureCaps' | 'brakeReleasedAtMs'
> {
  @ApiProperty()
  readonly sponsorAnyContract!: boolean;

  @ApiProperty()
  readonly sponsorNativeTransfers!: boolean;

  @ApiProperty({ enum: SPONSOR_DEPLOYMENTS })
  readonly sponsorDeployments!: SponsorDeployments;

  @ApiProperty()
  readonly allowUnknownFactories!: boolean;

  @ApiProperty()
  readonly requireKnownAccounts!: boolean;

  @ApiProperty({ enum: ON_REFUSAL })
  readonly onRefusal!: OnRefusal;

  @ApiProperty()
  readonly explainToClients!: boolean;

  @ApiProperty({ type: 'integer', example: 600 })
  readonly maxExpirySeconds!: number;

  @ApiProperty({ ...WEI, nullable: true })
  readonly maxOperationCostWei!: string | null;

  @ApiProperty({ type: [String], example: ['*'] })
  readonly allowedOrigins!: readonly string[];

  @ApiProperty({ enum: TOKEN_MODES })
  readonly tokenMode!: TokenMode;

  @ApiProperty({ enum: CHARGING_WAYS, isArray: true })
  readonly tokenChargingWays!: readonly ChargingWay[];

  @ApiProperty({ ...ADDRESS, nullable: true, description: 'In lower case; null for the funding wallet.' })
  readonly tokenFeeReceiver!: Address | null;

  @ApiProperty({ type: 'integer', example: 4, description: 'Nonces of one sender that may have live signatures.' })
  readonly maxLiveSignaturesPerSender!: number;

  @ApiProperty({ type: 'integer', example: 100, description: 'Live signatures asked for from one client address.' })
  readonly maxLiveSignaturesPerClient!: number;

  @ApiProperty({ type: 'integer', example: 1000, description: 'Live signatures of the whole paymaster.' })
  readonly maxLiveSignaturesTotal!: number;

  @ApiProperty({
    type: 'integer',
    example: 50,
    description:
      'Most of what is left of a limit, of the wallet or of the rate limit that one client address may take for several operations; percent.',
  })
  readonly clientSharePercent!: number;

  @ApiProperty({ description: 'The paymaster stops before it loses more than half of its wallet within an hour.' })
  readonly spendingBrake!: boolean;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'The last time; null for never.' })
  readonly brakeReleasedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'My dapp', description: 'Null: wallets name no sponsor.' })
  readonly sponsorName!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'A data URI.' })
  readonly sponsorIcon!: string | null;

  @ApiProperty({ enum: ON_LIMIT_REACHED })
  readonly onLimitReached!: OnLimitReached;

  @ApiProperty()
  readonly allowEqualFees!: boolean;

  @ApiProperty()
  readonly allowCallDataSuffix!: boolean;

  @ApiProperty({ type: [String], example: ['203.0.113.7'] })
  readonly servers!: readonly string[];

  @ApiProperty()
  readonly ignoreForeignPolicyIds!: boolean;

  @ApiProperty()
  readonly allowBatchApprovalWithoutRules!: boolean;

  @ApiProperty()
  readonly signWhenSent!: boolean;
}

export function toSettingsView(settings: PaymasterSettings): SettingsView {
  return {
    sponsorAnyContract: settings.sponsorAnyContract,
    sponsorNativeTransfers: settings.sponsorNativeTransfers,
    sponsorDeployments: settings.sponsorDeployments,
    allowUnknownFactories: settings.allowUnknownFactories,
    requireKnownAccounts: settings.requireKnownAccounts,
    onRefusal: settings.onRefusal,
    explainToClients: settings.explainToClients,
    maxExpirySeconds: settings.maxExpirySeconds,
    maxOperationCostWei: settings.maxOperationCostWei?.toString() ?? null,
    allowedOrigins: settings.allowedOrigins,
    tokenMode: settings.tokenMode,
    tokenChargingWays: settings.tokenChargingWays,
    tokenFeeReceiver: settings.tokenFeeReceiver,
    maxLiveSignaturesPerSender: settings.liveSignatureCaps.perSender,
    maxLiveSignaturesPerClient: settings.liveSignatureCaps.perClient,
    maxLiveSignaturesTotal: settings.liveSignatureCaps.perPaymaster,
    clientSharePercent: settings.liveSignatureCaps.clientSharePercent,
    spendingBrake: settings.spendingBrake,
    brakeReleasedAt: settings.brakeReleasedAtMs === 0 ? null : new Date(settings.brakeReleasedAtMs).toISOString(),
    sponsorName: settings.sponsorName,
    sponsorIcon: settings.sponsorIcon,
    onLimitReached: settings.onLimitReached,
    allowEqualFees: settings.allowEqualFees,
    allowCallDataSuffix: settings.allowCallDataSuffix,
    servers: settings.servers,
    ignoreForeignPolicyIds: settings.ignoreForeignPolicyIds,
    allowBatchApprovalWithoutRules: settings.allowBatchApprovalWithoutRules,
    signWhenSent: settings.signWhenSent,
  };
}
