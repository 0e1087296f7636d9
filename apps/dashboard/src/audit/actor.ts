/** Who makes a change: an account, through one of its auth tokens. */
export interface Actor {
  readonly accountId: string;
  readonly tokenId: string;
}
