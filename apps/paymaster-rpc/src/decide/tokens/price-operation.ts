import { SponsorshipRefusedError, type TokenListing } from '@paymaster/domain';
import { priceOfNow, quoteToken, type SignedRate, type TokenQuote, type TokenRate } from '@paymaster/pricing';
import type { QuotedPrice } from '../../chains/quotes/live-quotes';
import type { OperationsLiveRates } from '../../chains/quotes/live-rates';

/** An operation that is to be priced in one token. */
export interface PriceRequest {
  readonly token: TokenListing;
  /** The current price. */
  readonly rate: TokenRate;
  /** The most the operation can cost, markup included; wei. */
  readonly maxCostWei: bigint;
  /** What the live quote of this operation promised, if there is one. */
  readonly promised?: QuotedPrice | undefined;
}

/**
 * The price of an operation. It is never lower than the price in an earlier signature that is still live, and never
 * higher than a live quote promised.
 *
 * @param liveRates of the operation
 * @throws {SponsorshipRefusedError} QUOTE_CEILING_EXCEEDED, when gas alone passes the quote's ceiling
 * @throws {PriceUnavailableError} when the charge cannot be signed
 */
export function priceOperation(liveRates: OperationsLiveRates, request: PriceRequest): TokenQuote {
  const { token, rate, maxCostWei, promised } = request;
  const priceAt = (wanted: SignedRate): TokenQuote =>
    quoteToken({ token, rate, maxCostWei, signed: liveRates.notBetterThanLive(token.address, wanted) });
  const current = priceAt(priceOfNow(token, rate));
  if (!promised || current.maxChargeBaseUnits <= promised.ceilingBaseUnits) return current;
  const kept = priceAt(promised);
  if (kept.maxChargeBaseUnits <= promised.ceilingBaseUnits) return kept;
  throw new SponsorshipRefusedError(
    'QUOTE_CEILING_EXCEEDED',
    `The operation needs more gas than its quote in ${token.symbol} covers; ask for a quote of the operation as it will be sent.`,
    [],
    { neededBaseUnits: kept.maxChargeBaseUnits.toString(), ceilingBaseUnits: promised.ceilingBaseUnits.toString() },
  );
}
