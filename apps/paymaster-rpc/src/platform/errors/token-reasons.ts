/**
 * Every `reason` token mode can give for a refusal, with the sentence its docs page opens with. Reasons are stable:
 * clients may branch on them.
 */
export const TOKEN_REASONS = {
  TOKEN_BALANCE_TOO_LOW: 'The account does not hold enough of the token for the most the operation can cost.',
  TOKEN_ALLOWANCE_TOO_LOW: 'The account has not approved the paymaster for the most the operation can cost.',
  TOKEN_PAYMENT_FAILS: 'The token refuses the payment in simulation, though balance and allowance suffice.',
  TOKEN_WAY_NOT_AVAILABLE: 'The only way this operation could be charged is not available here.',
  TOKEN_EXPOSURE_CAP_REACHED: 'Too many operations that pay with an approval in their own batch are still unpaid.',
  SENDER_BLOCKED_IN_TOKEN_MODE: 'The account took its tokens away after an operation had been simulated well.',
  QUOTE_EXPIRED: 'The fee quote of this operation has expired.',
  QUOTE_CEILING_EXCEEDED: 'The operation needs more gas than its fee quote covers.',
} as const satisfies Readonly<Record<string, string>>;

export type TokenReason = keyof typeof TOKEN_REASONS;
