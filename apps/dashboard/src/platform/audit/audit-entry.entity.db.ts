import { Column, Entity, PrimaryColumn } from 'typeorm';
import { nullableIntegerColumn } from '../database/column-transformers';
import type { AuditAction, AuditEntry, AuditSubject } from './audit-entry';

/** A row of the audit log. The database refuses to change and to delete them. */
@Entity({ name: 'audit_log' })
export class AuditEntryEntity implements AuditEntry {
  @PrimaryColumn({ type: 'bigint', insert: false, update: false })
  id!: string;

  @Column('uuid', { name: 'paymaster_id', nullable: true })
  paymasterId!: string | null;

  @Column('bigint', { transformer: nullableIntegerColumn, nullable: true })
  version!: number | null;

  @Column({ type: 'timestamptz', insert: false, update: false })
  at!: Date;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text', { name: 'token_id_prefix', nullable: true })
  tokenIdPrefix!: string | null;

  @Column('uuid', { name: 'person_id', nullable: true })
  personId!: string | null;

  @Column('uuid', { name: 'operator_id', nullable: true })
  operatorId!: string | null;

  @Column('text')
  subject!: AuditSubject;

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  @Column('text')
  action!: AuditAction;

  @Column('json', { nullable: true })
  before!: object | null;

  @Column('json', { nullable: true })
  after!: object | null;
}
