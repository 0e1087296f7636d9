import type { Address } from '@paymaster/domain';
import { PriceUnavailableError } from '@paymaster/pricing';

/** A token that is supported, but has no quote now. */
export interface UnavailableToken {
  readonly token: Address;
  /** Why, a stable word: a price's fault, or the reason of a refusal. */
  readonly reason: string;
}

/**
 * Prices what can be priced: one token without a price stops that token only.
 *
 * @throws {PriceUnavailableError} the first one, when nothing can be priced and there is something to price
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
