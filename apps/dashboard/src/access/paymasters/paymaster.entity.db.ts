import type { Address } from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { safeIntegerColumn } from '../../platform/database/column-transformers';
import type { Paymaster, PaymasterType, PaymasterVersion } from './paymaster';
import { PaymasterSettingsColumns } from './paymaster-settings.columns.db';

@Entity({ name: 'paymasters' })
export class PaymasterEntity implements Paymaster {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'chain_id', transformer: safeIntegerColumn })
  chainId!: number;

  @Column('text')
  type!: PaymasterType;

  @Column('text', { name: 'paymaster_version' })
  paymasterVersion!: PaymasterVersion;

  @Column('text', { name: 'api_key_index' })
  apiKeyIndex!: string;

  @Column('text', { name: 'api_key_ciphertext' })
  apiKeyCiphertext!: string;

  @Column('text', { name: 'funding_wallet', nullable: true })
  fundingWallet!: Address | null;

  @Column('bigint', { name: 'policy_version', transformer: safeIntegerColumn })
  policyVersion!: number;

  @Column(() => PaymasterSettingsColumns, { prefix: false })
  settings!: PaymasterSettingsColumns;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'archived_at', type: 'timestamptz', nullable: true })
  archivedAt!: Date | null;

  @Column({ name: 'suspended_at', type: 'timestamptz', nullable: true })
  suspendedAt!: Date | null;

  @Column('text', { name: 'suspension_reason', nullable: true })
  suspensionReason!: string | null;
}
