import { InvalidParamsError, type Address } from '@paymaster/domain';

/** The tokens a client names, in lower case. */
export interface NamedTokens {
  readonly feeToken: Address | undefined;
  readonly preferred: Address | undefined;
  /** Each once. */
  readonly list: readonly Address[];
  /** Where one token alone is named, for errors. */
  readonly field: string;
}

/** What is quoted, in order: the preferred token first, then the list. Nothing named means every token there is. */
export function tokensToQuote({ feeToken, preferred, list }: NamedTokens): readonly Address[] {
  const first = preferred ?? feeToken;
  return first ? [...new Set([first, ...list])] : list;
}

/** The one token to pay in: named as such, else the preferred one, else a list of one. @throws {InvalidParamsError} */
export function tokenToPayIn({ feeToken, preferred, list, field }: NamedTokens): Address {
  const token = feeToken ?? preferred ?? (list.length === 1 ? list[0] : undefined);
  if (token) return token;
  throw new InvalidParamsError(field, `${field} is missing: name the one token to pay in.`);
}
