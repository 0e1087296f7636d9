import type { Address } from '@paymaster/domain';
import type { Account } from '../accounts/account';
import type { RoleGrant } from './role';

/** Who signs in to the page: with a wallet, or with a code that the operator made on the command line. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** Null for a person who signs in with codes only. */
  readonly walletAddress: Address | null;
  /** Where the wallet is, if it is a contract: on another chain somebody else may have a contract at its address. */
  readonly walletChainId: number | null;
  /** Whether the person operates the installation. */
  readonly isOperator: boolean;
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
