import { ceilDiv, PREMIUM_DENOMINATOR, type Address } from '@paymaster/domain';
import { decimalText } from '../usd/decimal-text';
import { pow10 } from '../usd/pow10';
import { USD_DECIMALS } from '../usd/usd-price';
import { doubleAtLeast } from './double-at-least';
import type { OfferedQuote } from './offer-quote';

/** A fee quote as the interface document names its fields. */
export interface FeeQuote {
  readonly symbol: string;
  readonly decimal: number;
  readonly tokenAddress: Address;
  /** Whole tokens. Clients approve `Math.ceil(maxGasFee * 10 ** decimal)`, which covers the exact charge. */
  readonly maxGasFee: number;
  readonly maxGasFeeUSD: number;
  /** Token base units per 1e18 wei, without the premium. Written to JSON as an integer literal with all digits. */
  readonly exchangeRate: bigint;
  /** Percent as text: `10`, `7.5`. */
  readonly premiumPercentage: string;
  /** Unix seconds. */
  readonly validUntil: number;
  /** Empty when the token has none. */
  readonly logoUrl: string;
}

/** Dollars are shown to a millionth: gas on a rollup costs less than a cent. */
const USD_SHOWN_DECIMALS = 6;
/** A premium is in millionths, so one percent is 10,000 of them: four decimals. */
const PERCENT_DECIMALS = 4;

/**
 * Writes a quote with the field names of the interface document. `offerQuote` has rounded `maxGasFee` up; the dollars
 * are rounded up here.
 */
export function presentFeeQuote(quote: OfferedQuote, { validUntilSeconds }: { validUntilSeconds: number }): FeeQuote {
  const { symbol, decimals, address, logoUrl } = quote.token;
  return {
    symbol,
    decimal: decimals,
    tokenAddress: address,
    maxGasFee: quote.maxGasFee,
    maxGasFeeUSD: doubleAtLeast(ceilingMicroUsd(quote), USD_SHOWN_DECIMALS),
    exchangeRate: quote.exchangeRate,
    premiumPercentage: decimalText(quote.premiumMillionths - PREMIUM_DENOMINATOR, PERCENT_DECIMALS),
    validUntil: validUntilSeconds,
    logoUrl: logoUrl ?? '',
  };
}

function ceilingMicroUsd({ ceilingBaseUnits, tokenUsdE36, token }: OfferedQuote): bigint {
  return ceilDiv(ceilingBaseUnits * tokenUsdE36, pow10(token.decimals + USD_DECIMALS - USD_SHOWN_DECIMALS));
}
