import type { Address } from '@paymaster/domain';
import { PriceUnavailableError } from '@paymaster/pricing';

/** A token that is supported, but has no quote now. */
export interface UnavailableToken {
  readonly token: Address;
  /** The reason as a stable word: a price's fault, or the reason of a refusal. */
  readonly reason: string;
}

/**
 * Prices every token that has a price; a token without a price does not stop the others.
 *
 * @throws {PriceUnavailableError} the first token's, when no token can be priced and there is a token to price
 */
export function priceEach<Token, Priced>(
  tokens: readonly Token[],
  { addressOf, price }: { addressOf: (token: Token) => Address; price: (token: Token) => Priced },
): { readonly priced: readonly Priced[]; readonly unavailable: readonly UnavailableToken[] } {
  const priced: Priced[] = [];
  const unavailable: UnavailableToken[] = [];
  let first: PriceUnavailableError | undefined;
  for (const token of tokens) {
    try {
      priced.push(price(token));
    } catch (error) {
      if (!(error instanceof PriceUnavailableError)) throw error;
      first ??= error;
      unavailable.push({ token: addressOf(token), reason: error.fault });
    }
  }
  if (first && priced.length === 0) throw first;
  return { priced, unavailable };
}
