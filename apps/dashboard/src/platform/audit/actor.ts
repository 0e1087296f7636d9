/**
 * Who makes a change of an account, by their ids: an auth token, a member, or the operator of the installation on the
 * page. A command of the operator has no id.
 */
export interface Actor {
  readonly accountId: string;
  readonly tokenId?: string;
  readonly personId?: string;
  readonly operatorId?: string;
}
