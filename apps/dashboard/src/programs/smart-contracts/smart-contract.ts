import type { Address, ContractError, Hex } from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A contract that a paymaster may sponsor calls to, and when it was registered. */
@Entity({ name: 'smart_contracts' })
export class SmartContractEntity {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('uuid', { name: 'paymaster_id' }) readonly paymasterId!: string;
  @Column('text') readonly name!: string;
  @Column('text') readonly address!: Address;
  /** The text that was sent. */
  @Column('text') readonly abi!: string;
  /** Names of the state-changing functions, in ABI order, once each. */
  @Column('text', { array: true }) readonly methods!: readonly string[];
  /** Names (for every overload) and full signatures that are sponsored, as sent. */
  @Column('text', { name: 'whitelisted_methods', array: true }) readonly whitelistedMethods!: readonly string[];
  /** What `whitelistedMethods` comes down to, for the gateway. */
  @Column('text', { array: true }) readonly selectors!: readonly Hex[];
  /** Of the ABI, for the gateway. */
  @Column('jsonb') readonly errors!: readonly ContractError[];
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', update: false }) readonly createdAt!: Date;
}

export type SmartContract = Omit<SmartContractEntity, 'createdAt'>;
