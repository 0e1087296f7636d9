import type { ServedTokens } from '../../chains/served-tokens';
import type { PolicyQuestion } from '../rules/sponsorship-policy';
import type { Address } from '@paymaster/domain';
import type { QuotedPrice } from '../../chains/quotes/live-quotes';
import { quoteExpired } from './token-refusals';

/**
 * What the operation's live quote promised in this token; undefined where there is no quote, and where the quote was
 * for other tokens.
 *
 * @throws {SponsorshipRefusedError} QUOTE_EXPIRED of this token, in dialects that refuse an expired quote
 */
export function promisedPrice(
  { quotes }: Pick<ServedTokens, 'quotes'>,
  request: PolicyQuestion & { readonly token: Address; readonly refuseExpiredQuote: boolean },
  nowSeconds: number,
): QuotedPrice | undefined {
  const { caller, operation, token } = request;
  const { paymasterId } = caller.paymaster.snapshot;
  const found = quotes.find({ paymasterId, sender: operation.sender, nonce: operation.nonce }, nowSeconds);
  if (found.state === 'none') return undefined;
  const price = found.quote.prices.get(token);
  if (found.state === 'live') return price;
  if (price && request.refuseExpiredQuote) throw quoteExpired();
  return undefined;
}
