import { SponsorshipRefusedError, type TokenListing } from '@paymaster/domain';
import { priceOfNow, quoteToken, type SignedRate, type TokenQuote, type TokenRate } from '@paymaster/pricing';
import type { QuotedPrice } from './quotes/live-quotes';
import type { LiveRates, RateKey } from './quotes/live-rates';

/** An operation that is to be priced in one token. */
export interface PriceRequest {
  readonly token: TokenListing;
  /** Of now. */
  readonly rate: TokenRate;
  /** The most the operation can cost, markup included; wei. */
  readonly maxCostWei: bigint;
  /** What the client was promised, where a quote of this operation is live. */
  readonly promised?: QuotedPrice | undefined;
  readonly operation: Omit<RateKey, 'token'>;
  readonly nowSeconds: number;
}

/**
 * The price of an operation: never better than the one an earlier signature of it still carries, and never above what
 * a live quote promised.
 *
 * @throws {SponsorshipRefusedError} QUOTE_CEILING_EXCEEDED, when gas alone passes the quote's ceiling
 * @throws {PriceUnavailableError} when the charge cannot be signed
 */
export function priceOperation(liveRates: Pick<LiveRates, 'notBetterThanLive'>, request: PriceRequest): TokenQuote {
  const { token, rate, maxCostWei, promised, operation, nowSeconds } = request;
  const key = { ...operation, token: token.address };
  const priceAt = (wanted: SignedRate): TokenQuote =>
    quoteToken({ token, rate, maxCostWei, signed: liveRates.notBetterThanLive({ key, wanted, nowSeconds }) });
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
