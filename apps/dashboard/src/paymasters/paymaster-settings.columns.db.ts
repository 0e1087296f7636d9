import type { OnRefusal, PaymasterSettings, SponsorDeployments } from '@paymaster/domain';
import { Column } from 'typeorm';
import { bigintColumn } from '../database/column-transformers';

/** The switches of a paymaster, as columns of its row. */
export class PaymasterSettingsColumns implements PaymasterSettings {
  @Column('boolean', { name: 'sponsor_any_contract' })
  sponsorAnyContract!: boolean;

  @Column('boolean', { name: 'sponsor_native_transfers' })
  sponsorNativeTransfers!: boolean;

  @Column('text', { name: 'sponsor_deployments' })
  sponsorDeployments!: SponsorDeployments;

  @Column('boolean', { name: 'allow_unknown_factories' })
  allowUnknownFactories!: boolean;

  @Column('boolean', { name: 'require_known_accounts' })
  requireKnownAccounts!: boolean;

  @Column('text', { name: 'on_refusal' })
  onRefusal!: OnRefusal;

  @Column('boolean', { name: 'explain_to_clients' })
  explainToClients!: boolean;

  @Column('integer', { name: 'max_expiry_seconds' })
  maxExpirySeconds!: number;

  @Column('numeric', {
    name: 'max_operation_cost_wei',
    precision: 78,
    scale: 0,
    nullable: true,
    transformer: bigintColumn,
  })
  maxOperationCostWei!: bigint | null;

  @Column('text', { name: 'allowed_origins', array: true })
  allowedOrigins!: string[];
}
