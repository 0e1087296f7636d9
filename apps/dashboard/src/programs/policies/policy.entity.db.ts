import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { PolicyContent, PolicyType } from './policy';

/** One policy. Its order of creation is the database's own count: several can be made in one transaction. */
@Entity({ name: 'policies' })
export class PolicyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', name: 'creation_order', insert: false, update: false, select: false })
  creationOrder!: string;
  @Column('uuid', { name: 'paymaster_id' }) paymasterId!: string;
  @Column('uuid', { name: 'created_by' }) createdBy!: string;
  @Column('text') name!: string;
  @Column('text', { name: 'policy_type' }) policyType!: PolicyType;
  @Column('boolean') active!: boolean;
  @Column('json', { name: 'policy_data' }) policyData!: PolicyContent['policyData'];
  @Column('integer') version!: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt!: Date;
}
