import type { Address } from '@paymaster/domain';
import { PriceUnavailableError } from '@paymaster/pricing';

/** A token that is supported, but has no price that can be believed now. */
export interface UnavailableToken {
  readonly token: Address;
  readonly cause: PriceUnavailableError;
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
  for (const token of tokens) {
    try {
      priced.push(price(token));
    } catch (cause) {
      if (!(cause instanceof PriceUnavailableError)) throw cause;
      unavailable.push({ token: addressOf(token), cause });
    }
  }
  const [first] = unavailable;
  if (first && priced.length === 0) throw first.cause;
  return { priced, unavailable };
}
