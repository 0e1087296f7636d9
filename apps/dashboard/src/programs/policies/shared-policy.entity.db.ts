import { Column, CreateDateColumn, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn } from 'typeorm';
import { safeIntegerColumn } from '../../platform/database/column-transformers';
import type { SharedPolicy, SharedPolicyContent, SharedPolicyType } from './shared-policy';

/** A policy that paymasters of its account share. Its order of creation is the database's own count. */
@Entity({ name: 'shared_policies' })
export class SharedPolicyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', name: 'creation_order', insert: false, update: false, select: false })
  creationOrder!: string;
  @Column('uuid', { name: 'account_id' }) accountId!: string;
  @Column('text') name!: string;
  @Column('boolean') active!: boolean;
  @Column('text', { name: 'policy_type' }) policyType!: SharedPolicyType;
  @Column('json', { name: 'policy_data' }) policyData!: SharedPolicyContent['policyData'];
  @Column('bigint', { transformer: safeIntegerColumn }) version!: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt!: Date;
  @OneToMany(() => SharedPolicyPaymaster, ({ policy }) => policy) paymasters!: SharedPolicyPaymaster[];
}

/** A paymaster that shares a policy. */
@Entity({ name: 'shared_policy_paymasters' })
export class SharedPolicyPaymaster {
  @PrimaryColumn('uuid', { name: 'shared_policy_id' }) sharedPolicyId!: string;
  @PrimaryColumn('uuid', { name: 'paymaster_id' }) paymasterId!: string;
  @ManyToOne(() => SharedPolicyEntity, ({ paymasters }) => paymasters)
  @JoinColumn({ name: 'shared_policy_id' })
  policy!: SharedPolicyEntity;
}

export function toSharedPolicy(entity: SharedPolicyEntity): SharedPolicy {
  const { id, name, active, policyType, policyData, version } = entity;
  return { id, name, active, policyType, policyData, version } as SharedPolicy;
}
