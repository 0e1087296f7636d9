import { SETTINGS, type Address, type SettingValues, type StoredSettings } from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { safeIntegerColumn } from '../../platform/database/column-transformers';
import { ColumnOf } from '../../platform/database/field-columns';
import { EachField, FieldsOf } from '../../platform/fields/each-field';

/** The one `type` of the interface document: sponsorship and token mode behind one address. */
export const PAYMASTER_TYPES = ['HYBRID'] as const;
export type PaymasterType = (typeof PAYMASTER_TYPES)[number];

/** What clients may ask for. 1.x is EntryPoint v0.6 by default, 2.x is v0.7 and later; each serves all of its chain. */
export const PAYMASTER_VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;
export type PaymasterVersion = (typeof PAYMASTER_VERSIONS)[number];

/** What belongs to a paymaster, by kind. */
export const COUNTED = [
  'contracts',
  'policies',
  'sharedPolicies',
  'tokens',
  'webhooks',
  'keys',
  'sessionKeys',
] as const;
export type PaymasterCounts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** The settings of a paymaster, as columns of its row: `allowEqualFees` is in `settings_allow_equal_fees`. */
@EachField(SETTINGS, (setting, name) => ColumnOf(setting, `settings_${name}`))
class PaymasterSettingsColumns extends FieldsOf<SettingValues>() {
  @Column('bigint', { name: 'settings_brake_released_ms', transformer: safeIntegerColumn })
  brakeReleasedAtMs!: number;
}

/** A registered paymaster (DApp) of one account on one chain. */
@Entity({ name: 'paymasters' })
export class Paymaster {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('uuid', { name: 'account_id' }) readonly accountId!: string;
  /** Unique on its chain, over all accounts. */
  @Column('text') readonly name!: string;
  /** What its owner calls the paymasters that belong together, usually one app on several chains; null: no project. */
  @Column('text', { nullable: true }) readonly project!: string | null;
  @Column('bigint', { name: 'chain_id', transformer: safeIntegerColumn }) readonly chainId!: number;
  @Column('text') readonly type!: PaymasterType;
  @Column('text', { name: 'paymaster_version' }) readonly paymasterVersion!: PaymasterVersion;
  @Column('text', { name: 'api_key_index' }) readonly apiKeyIndex!: string;
  @Column('text', { name: 'api_key_ciphertext' }) readonly apiKeyCiphertext!: string;
  /** The wallet whose gas deposit pays, or null before the funding flow was done. */
  @Column('text', { name: 'funding_wallet', nullable: true }) readonly fundingWallet!: Address | null;
  /** Grows with every write that the gateway has to know of. */
  @Column('bigint', { name: 'policy_version', transformer: safeIntegerColumn }) readonly policyVersion!: number;
  @Column(() => PaymasterSettingsColumns, { prefix: false }) readonly settings!: StoredSettings;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) readonly createdAt!: Date;
  /** Since when it is archived, so that gateways do not know its keys; null: it is not. */
  @Column('timestamptz', { name: 'archived_at', nullable: true }) readonly archivedAt!: Date | null;
  /** Since when the operator of the installation lets it sign nothing; null: it may sign. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true }) readonly suspendedAt!: Date | null;
  /** What clients and the owner are told about that; null: it may sign. */
  @Column('text', { name: 'suspension_reason', nullable: true }) readonly suspensionReason!: string | null;
}
