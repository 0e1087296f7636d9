/** Who owns paymasters. Its holders prove themselves with auth tokens. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}
