/** The text a funding wallet signs, while it can be answered. A paymaster has at most one. */
export interface FundingMessage {
  readonly paymasterId: string;
  readonly message: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}
