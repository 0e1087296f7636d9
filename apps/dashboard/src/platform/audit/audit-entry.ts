import { isDeepStrictEqual } from 'node:util';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { nullableIntegerColumn } from '../database/column-transformers';
import type { Actor } from './actor';

/** What changes are recorded of. */
export const AUDIT_SUBJECTS = [
  'policy',
  'settings',
  'contract',
  'token',
  'fundingWallet',
  'webhook',
  'alert',
  'apiKey',
  'account',
  'member',
  'invitation',
  'authToken',
  'paymaster',
  'passkey',
  'role',
  'mailAddress',
  'secondFactor',
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

export const AUDIT_ACTIONS = ['created', 'updated', 'deleted'] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One change of what a paymaster sponsors, or of who may act for the account. The database refuses to change a row. */
@Entity({ name: 'audit_log' })
export class AuditEntryEntity {
  @PrimaryColumn({ type: 'bigint', insert: false, update: false }) readonly id!: string;
  /** Null for a change of the account. */
  @Column('uuid', { name: 'paymaster_id', nullable: true }) readonly paymasterId!: string | null;
  /** The paymaster's policy version that the change made, or at which its key was shown; null for a change of the account. */
  @Column('bigint', { transformer: nullableIntegerColumn, nullable: true }) readonly version!: number | null;
  @Column({ type: 'timestamptz', insert: false, update: false }) readonly at!: Date;
  /** The column is null for changes of who operates the installation; those are not read by this class. */
  @Column('uuid', { name: 'account_id', nullable: true }) readonly accountId!: string;
  /** The first 8 digits of the token's id: enough to tell an account's tokens apart. Null when no token was used. */
  @Column('text', { name: 'token_id_prefix', nullable: true }) readonly tokenIdPrefix!: string | null;
  /** The member who made the change; null with a token, and for the operator. */
  @Column('uuid', { name: 'person_id', nullable: true }) readonly personId!: string | null;
  /** The person who made it as the operator of the installation, on the page. Accounts are not told who that is. */
  @Column('uuid', { name: 'operator_id', nullable: true }) readonly operatorId!: string | null;
  @Column('text') readonly subject!: AuditSubject;
  /**
   * Which of its kind: the policy's or webhook's id, the contract's or token's address, the member's, invitation's, auth
   * token's, passkey's or role's id; for a mail address and a second factor the person's; the paymaster's or account's id for its one.
   */
  @Column('text', { name: 'subject_id' }) readonly subjectId!: string;
  @Column('text') readonly action!: AuditAction;
  /** As REST shows it; null when there was nothing. */
  @Column('json', { nullable: true }) readonly before!: object | null;
  /** As REST shows it; null when nothing is left. */
  @Column('json', { nullable: true }) readonly after!: object | null;
}

/** An entry as it was made. */
export type AuditEntry = Omit<AuditEntryEntity, 'id'>;

/** A change of what a paymaster sponsors: it has a paymaster and a version. */
export type PaymasterChange = AuditEntry & { readonly paymasterId: string; readonly version: number };

/** What a change says of itself; who made it, and when, is added. */
export type RecordedChange = Pick<AuditEntry, 'subject' | 'subjectId' | 'before' | 'after'>;

/**
 * The entries of a change, without those parts that changed nothing.
 *
 * @param place the paymaster and its new version; nulls for a change of the account
 */
export function entriesOf(
  changes: readonly RecordedChange[],
  place: Pick<AuditEntry, 'paymasterId' | 'version'>,
  { accountId, tokenId, personId, operatorId }: Actor,
): Omit<AuditEntry, 'at'>[] {
  const tokenIdPrefix = tokenId?.slice(0, 8) ?? null;
  const by = { accountId, tokenIdPrefix, personId: personId ?? null, operatorId: operatorId ?? null };
  return changes
    .filter(({ before, after }) => !isDeepStrictEqual(before, after))
    .map((each) => ({ ...place, ...by, ...each, action: actionOf(each) }));
}

function actionOf({ before, after }: RecordedChange): AuditAction {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'updated';
}
