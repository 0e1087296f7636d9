import { DomainError, type Address } from '@paymaster/domain';

/** Why an address can't be registered as a token to pay in; stable words. */
export const TOKEN_PROBLEMS = [
  'NATIVE_COIN',
  'NOT_AN_ADDRESS_OF_CODE',
  'NO_DECIMALS',
  'TOO_MANY_DECIMALS',
  'BAD_SYMBOL',
  'BALANCE_NOT_STORED',
  'TRANSFER_FAILS',
  'TAKES_A_FEE',
] as const;
export type TokenProblem = (typeof TOKEN_PROBLEMS)[number];

/** The sentence for the owner who wants to register the token, by problem. */
const MESSAGES: Readonly<Record<TokenProblem, string>> = {
  NATIVE_COIN: 'this address stands for the native coin, which is no token',
  NOT_AN_ADDRESS_OF_CODE: 'there is no contract at this address',
  NO_DECIMALS: 'the contract does not answer decimals() with a number',
  TOO_MANY_DECIMALS: 'the token has more than 36 decimals',
  BAD_SYMBOL: 'symbol() is not 1 to 32 printable characters, left to right and without markup',
  BALANCE_NOT_STORED: 'balances are not stored as they are, or this cannot be verified: rebasing tokens are refused',
  TRANSFER_FAILS: 'a transfer does not succeed',
  TAKES_A_FEE: 'a transfer does not move exactly its amount: tokens that take a fee are refused',
};

/** Fees can't be paid in the token. The token is at fault, and not the chain or its nodes. */
export class TokenRefusedError extends DomainError {
  readonly reason = 'TOKEN_REFUSED';

  constructor(
    readonly token: Address,
    readonly problem: TokenProblem,
    options?: ErrorOptions,
  ) {
    super(MESSAGES[problem], { token, problem }, options);
  }
}
