import type { Address, ContractError, Hex } from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { SmartContract } from './smart-contract';

@Entity({ name: 'smart_contracts' })
export class SmartContractEntity implements SmartContract {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'paymaster_id' })
  paymasterId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  address!: Address;

  @Column('text')
  abi!: string;

  @Column('text', { array: true })
  methods!: string[];

  @Column('text', { name: 'whitelisted_methods', array: true })
  whitelistedMethods!: string[];

  @Column('text', { array: true })
  selectors!: Hex[];

  @Column('jsonb')
  errors!: ContractError[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
