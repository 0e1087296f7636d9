// Why operations are refused, beside the reasons of policies, which @paymaster/policy has.

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

/** Those of keys, webhooks, bundlers and of what the ledger holds; each with its sentence. */
export const GATEWAY_REASONS = {
  WEBHOOK_REFUSED: "The owner's webhook did not verify the operation.",
  WEBHOOK_FAILED: "The owner's webhook gave no decision.",
  BUNDLER_FOR_SPONSORED_ONLY: 'The bundlers of the chain, or the API key, send sponsored operations only.',
  PAYMASTER_DATA_OUTDATED: 'Other paymaster data would be signed now than those that the operation was sent with.',
  EXPLANATIONS_OFF: 'The paymaster does not explain its decisions to clients.',
  ORIGIN_NOT_ALLOWED: "The page's origin is not among those of the paymaster, or of the API key.",
  KEY_NETWORK_NOT_ALLOWED: 'The API key serves certain networks only.',
  KEY_METHOD_NOT_ALLOWED: 'The API key may not call this method.',
  KEY_BUNDLER_OFF: 'The API key may not call the methods of a bundler.',
  KEY_SENDER_NOT_ALLOWED: 'The API key serves certain accounts only.',
  KEY_LIMIT_REACHED: 'A limit of the API key is used up, or has no room for this operation.',
  TOO_MANY_LIVE_SIGNATURES:
    'Too many sponsored operations of this sender, client address or paymaster are still valid.',
  FUNDING_WALLET_SHARE_REACHED:
    'Operations of one client network, or of all accounts that are new, hold as much of the funding wallet as they may.',
  ASKED_BEYOND_OWN_ANSWER:
    'The network has used up for this hour what it may ask beyond the limits and fees that the paymaster calculates.',
  CLIENT_NETWORK_HOUR_USED: 'The operations of one client network have cost as much as they may within an hour.',
  NEW_NETWORKS_HOUR_USED:
    'The operations of all new client networks together have cost as much as they may within an hour.',
  PAYMASTER_SUSPENDED: 'The operator of the installation has suspended the paymaster, and says why.',
  SPENDING_BRAKE: 'The paymaster could lose more than half of its funding wallet within an hour.',
} as const satisfies Readonly<Record<string, string>>;

/** Those of the funding wallet; each with its sentence. */
export const FUNDING_REASONS = {
  FUNDING_WALLET_MISSING: 'The paymaster has no funding wallet yet.',
  FUNDING_WALLET_BALANCE_TOO_LOW: "The funding wallet's gas deposit does not cover the operation.",
} as const satisfies Readonly<Record<string, string>>;
