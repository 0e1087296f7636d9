import { ApiProperty } from '@nestjs/swagger';
import {
  CHARGING_WAYS,
  ON_REFUSAL,
  SPONSOR_DEPLOYMENTS,
  TOKEN_MODES,
  type Address,
  type ChargingWay,
  type OnRefusal,
  type SponsorDeployments,
  type TokenMode,
} from '@paymaster/domain';
import type { StoredSettings } from './paymaster';

/** The settings of a paymaster as REST shows them; wei as decimal digits. */
export class SettingsView implements Omit<StoredSettings, 'maxOperationCostWei'> {
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

  @ApiProperty({ type: 'integer' })
  readonly maxExpirySeconds!: number;

  @ApiProperty({ type: String, nullable: true })
  readonly maxOperationCostWei!: string | null;

  @ApiProperty({ type: [String] })
  readonly allowedOrigins!: readonly string[];

  @ApiProperty({ enum: TOKEN_MODES })
  readonly tokenMode!: TokenMode;

  @ApiProperty({ enum: CHARGING_WAYS, isArray: true })
  readonly tokenChargingWays!: readonly ChargingWay[];

  @ApiProperty({ type: String, nullable: true, description: 'In lower case; null for the funding wallet.' })
  readonly tokenFeeReceiver!: Address | null;
}

export function toSettingsView(settings: StoredSettings): SettingsView {
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
  };
}
