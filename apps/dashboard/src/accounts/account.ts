/** Who owns paymasters. Its holders prove themselves with auth tokens. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** An account, and which of its tokens proved it. */
export interface AuthenticatedAccount {
  readonly account: Account;
  readonly tokenId: string;
}
