import { InvalidParamsError, type Address } from '@paymaster/domain';

/** The tokens a client names, in lower case. */
export interface NamedTokens {
  readonly feeToken: Address | undefined;
  readonly preferred: Address | undefined;
  /** Each once. */
  readonly list: readonly Address[];
  /** The field that names a single token, for errors. */
  readonly field: string;
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
