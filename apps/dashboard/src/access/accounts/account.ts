import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Who owns paymasters. Programs prove themselves with its auth tokens, people by being members. */
@Entity({ name: 'accounts' })
export class Account {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('text') readonly name!: string;
  /** Whether members who may spend or see secrets need a second factor, or a passkey, for more than reading. */
  @Column('boolean', { name: 'second_factor_required', default: false }) readonly secondFactorRequired!: boolean;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) readonly createdAt!: Date;
}

/** An account, and the token that proved it. */
export interface AuthenticatedAccount {
  readonly account: Account;
  readonly tokenId: string;
  readonly scope: TokenScope;
  /** The one paymaster that the token is for; null: all of the account. */
  readonly paymasterId: string | null;
}

/** What an auth token may do. */
export const TOKEN_SCOPES = ['read', 'write'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];
