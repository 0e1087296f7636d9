import type {
  Address,
  ChargingWay,
  LiveSignatureCaps,
  OnLimitReached,
  OnRefusal,
  PaymasterSettings,
  SponsorDeployments,
  TokenMode,
} from '@paymaster/domain';
import { Column } from 'typeorm';
import { bigintColumn, safeIntegerColumn } from '../../platform/database/column-transformers';

/** How many signatures may be live at once, as columns of a paymaster's row. */
export class LiveSignatureCapsColumns implements LiveSignatureCaps {
  @Column('integer', { name: 'settings_max_live_signatures_per_sender' })
  perSender!: number;

  @Column('integer', { name: 'settings_max_live_signatures_per_client' })
  perClient!: number;

  @Column('integer', { name: 'settings_max_live_signatures_total' })
  perPaymaster!: number;

  @Column('integer', { name: 'settings_client_share_percent' })
  clientSharePercent!: number;
}

/** The switches of a paymaster, as columns of its row. */
export class PaymasterSettingsColumns implements PaymasterSettings {
  @Column('boolean', { name: 'settings_sponsor_any_contract' })
  sponsorAnyContract!: boolean;

  @Column('boolean', { name: 'settings_sponsor_native_transfers' })
  sponsorNativeTransfers!: boolean;

  @Column('text', { name: 'settings_sponsor_deployments' })
  sponsorDeployments!: SponsorDeployments;

  @Column('boolean', { name: 'settings_allow_unknown_factories' })
  allowUnknownFactories!: boolean;

  @Column('boolean', { name: 'settings_require_known_accounts' })
  requireKnownAccounts!: boolean;

  @Column('text', { name: 'settings_on_refusal' })
  onRefusal!: OnRefusal;

  @Column('boolean', { name: 'settings_explain_to_clients' })
  explainToClients!: boolean;

  @Column('integer', { name: 'settings_max_expiry_seconds' })
  maxExpirySeconds!: number;

  @Column('numeric', {
    name: 'settings_max_operation_cost_wei',
    precision: 78,
    scale: 0,
    nullable: true,
    transformer: bigintColumn,
  })
  maxOperationCostWei!: bigint | null;

  @Column('text', { name: 'settings_allowed_origins', array: true })
  allowedOrigins!: string[];

  @Column('text', { name: 'settings_token_mode' })
  tokenMode!: TokenMode;

  @Column('text', { name: 'settings_token_charging_ways', array: true })
  tokenChargingWays!: ChargingWay[];

  @Column('text', { name: 'settings_token_fee_receiver', nullable: true })
  tokenFeeReceiver!: Address | null;

  @Column(() => LiveSignatureCapsColumns, { prefix: false })
  liveSignatureCaps!: LiveSignatureCapsColumns;

  @Column('boolean', { name: 'settings_spending_brake' })
  spendingBrake!: boolean;

  @Column('bigint', { name: 'settings_brake_released_ms', transformer: safeIntegerColumn })
  brakeReleasedAtMs!: number;

  @Column('text', { name: 'settings_sponsor_name', nullable: true })
  sponsorName!: string | null;

  @Column('text', { name: 'settings_sponsor_icon', nullable: true })
  sponsorIcon!: string | null;

  @Column('text', { name: 'settings_on_limit_reached' })
  onLimitReached!: OnLimitReached;

  @Column('boolean', { name: 'settings_allow_equal_fees' })
  allowEqualFees!: boolean;

  @Column('boolean', { name: 'settings_allow_call_data_suffix' })
  allowCallDataSuffix!: boolean;

  @Column('text', { name: 'settings_servers', array: true })
  servers!: string[];

  @Column('boolean', { name: 'settings_ignore_foreign_policy_ids' })
  ignoreForeignPolicyIds!: boolean;

  @Column('boolean', { name: 'settings_allow_batch_approval_without_rules' })
  allowBatchApprovalWithoutRules!: boolean;

  @Column('boolean', { name: 'settings_sign_when_sent' })
  signWhenSent!: boolean;
}
