import type { Address } from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { nullableIntegerColumn } from '../../platform/database/column-transformers';
import type { Account } from '../accounts/account';
import type { Role, RoleGrant } from './role';

/** Who signs in to the page: with a wallet, or with a code that the operator made on the command line. */
@Entity({ name: 'people' })
export class PersonEntity {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('text') readonly name!: string;
  /** Null for a person who signs in with codes only. */
  @Column('text', { name: 'wallet_address', nullable: true }) readonly walletAddress!: Address | null;
  /** Where the wallet is, if it is a contract: on another chain somebody else may have a contract at its address. */
  @Column('bigint', { name: 'wallet_chain', nullable: true, transformer: nullableIntegerColumn })
  readonly walletChainId!: number | null;
  /** Whether the person operates the installation. */
  @Column('boolean', { name: 'is_operator' }) readonly isOperator!: boolean;
  /** Where links that sign in are sent. */
  @Column('text', { name: 'mail_address', nullable: true, select: false }) readonly mailAddress!: string | null;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', select: false }) readonly createdAt!: Date;
}

export type Person = Omit<PersonEntity, 'createdAt' | 'mailAddress'>;

/** A person's place in an account. */
@Entity({ name: 'members' })
export class MemberEntity {
  @PrimaryColumn('uuid', { name: 'account_id' }) readonly accountId!: string;
  @PrimaryColumn('uuid', { name: 'person_id' }) readonly personId!: string;
  @Column('text') readonly role!: Role;
  /** The role, where the account made it; the database's own, of `role`. */
  @Column({ type: 'uuid', name: 'role_id', nullable: true, insert: false, update: false })
  readonly roleId!: string | null;
  @CreateDateColumn({ name: 'joined_at', type: 'timestamptz' }) readonly joinedAt!: Date;
}

/** The wallet that a person proved to have; {@link Person} says what its chain means. */
export interface ProvenWallet {
  readonly walletAddress: Address;
  readonly walletChainId: number | null;
}

/** An account of a person, and the person's role there. */
export interface Membership extends RoleGrant {
  readonly account: Account;
}

/** A person in the list of an account's members. */
export interface Member extends RoleGrant {
  readonly personId: string;
  readonly name: string;
  readonly walletAddress: Address | null;
  readonly joinedAt: Date;
  /** Or a passkey. */
  readonly hasSecondFactor: boolean;
}
