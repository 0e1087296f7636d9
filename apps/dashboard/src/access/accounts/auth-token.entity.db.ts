import { Column, CreateDateColumn, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Account, type TokenScope } from './account';

/** A token that was handed out. Only its hash is here: a copy of the table opens nothing. */
@Entity({ name: 'auth_tokens' })
export class AuthTokenEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'account_id' }) accountId!: string;
  @ManyToOne(() => Account) @JoinColumn({ name: 'account_id' }) account!: Account;
  @Column('text', { name: 'token_hash' }) tokenHash!: string;
  @Column('text') name!: string;
  @Column('text') scope!: TokenScope;
  @Column('uuid', { name: 'paymaster_id', nullable: true }) paymasterId!: string | null;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
  @Column('uuid', { name: 'created_by', nullable: true }) createdBy!: string | null;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt!: Date;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}

/** What of a token the audit log has: never its text. */
export function toLoggedAuthToken({
  name,
  scope,
  paymasterId,
  expiresAt,
}: Pick<AuthTokenEntity, 'name' | 'scope' | 'paymasterId' | 'expiresAt'>) {
  return { name, scope, paymasterId, expiresAt: expiresAt?.toISOString() ?? null };
}
