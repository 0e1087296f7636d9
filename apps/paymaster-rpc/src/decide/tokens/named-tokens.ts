import type { TokenPermit } from '@paymaster/chain';
import { InvalidParamsError, type Address } from '@paymaster/domain';
import type { PolicyQuestion } from '../rules/sponsorship-policy';

/** The tokens a client names, in lower case. */
export interface NamedTokens {
  readonly feeToken: Address | undefined;
  readonly preferred: Address | undefined;
  /** Each once. */
  readonly list: readonly Address[];
  /** The field that names a single token, for errors. */
  readonly field: string;
}

/** An operation whose sender is to pay in a token. */
export interface TokenRequest extends PolicyQuestion {
  readonly mode: 'token';
  /** True: estimate the account's limits. False: sign the limits that were sent. */
  readonly calculateGasLimits: boolean;
  /** Undefined for the default. */
  readonly expirySeconds: number | undefined;
  readonly tokens: NamedTokens;
  readonly permit: TokenPermit | undefined;
  /** The most that the sender agrees to pay, where the client says so; base units. */
  readonly maxTokenCharge?: bigint | undefined;
  /**
   * Whether an expired quote of this operation is a reason to refuse: true in dialects whose clients quote before they
   * pay.
   */
  readonly refuseExpiredQuote: boolean;
  /** The field in which the client asked for token mode, for errors. */
  readonly field: string;
}

/** The same for the one token to pay in. */
export interface TokenPaymentRequest extends TokenRequest {
  readonly token: Address;
}

/**
 * The tokens to quote, in order: the preferred token first, then the list. A client that names none gets all tokens.
 */
export function tokensToQuote({ feeToken, preferred, list }: NamedTokens): readonly Address[] {
  const first = preferred ?? feeToken;
  return first ? [...new Set([first, ...list])] : list;
}

/**
 * The one token to pay in: the named token, else the preferred token, else the only token of a list. @throws
 * {InvalidParamsError}
 */
export function tokenToPayIn({ feeToken, preferred, list, field }: NamedTokens): Address {
  const token = feeToken ?? preferred ?? (list.length === 1 ? list[0] : undefined);
  if (token) return token;
  throw new InvalidParamsError(field, `${field} is missing: name the one token to pay in.`);
}
