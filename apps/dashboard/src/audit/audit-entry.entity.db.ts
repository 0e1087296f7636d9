import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeIntegerColumn } from '../database/column-transformers';
import type { AuditAction, AuditEntry, AuditSubject } from './audit-entry';

/** A row of the audit log. The database refuses to change and to delete them. */
@Entity({ name: 'audit_log' })
export class AuditEntryEntity implements AuditEntry {
  @PrimaryColumn({ type: 'bigint', insert: false, update: false })
  id!: string;

  @Column('uuid', { name: 'paymaster_id' })
  paymasterId!: string;

  @Column('bigint', { transformer: safeIntegerColumn })
  version!: number;

  @Column({ type: 'timestamptz', insert: false, update: false })
  at!: Date;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text', { name: 'token_id_prefix' })
  tokenIdPrefix!: string;

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
