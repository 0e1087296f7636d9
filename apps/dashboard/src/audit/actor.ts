/**
 * Who makes a change of an account: an auth token or a person, by their ids. A command of the operator has neither.
 */
export interface Actor {
  readonly accountId: string;
  readonly tokenId?: string;
  readonly personId?: string;
}
