import { ApiProperty } from '@nestjs/swagger';
import {
  ON_REFUSAL,
  SPONSOR_DEPLOYMENTS,
  type OnRefusal,
  type PaymasterSettings,
  type SponsorDeployments,
} from '@paymaster/domain';

/** The settings of a paymaster as REST shows them; wei as decimal digits. */
export class SettingsView implements Omit<PaymasterSettings, 'maxOperationCostWei'> {
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
  };
}
