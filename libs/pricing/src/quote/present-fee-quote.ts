import { ceilDiv, PREMIUM_DENOMINATOR, type Address } from '@paymaster/domain';
import { decimalText } from '../usd/decimal-text';
import { pow10 } from '../usd/pow10';
import { USD_DECIMALS } from '../usd/usd-price';
import { doubleAtLeast } from './double-at-least';
import type { TokenQuote } from './quote-token';

/** A fee quote as the interface document names its fields. */
export interface FeeQuote {
  readonly symbol: string;
  readonly decimal: number;
  readonly tokenAddress: Address;
  /** Whole tokens. Clients approve `Math.ceil(maxGasFee * 10 ** decimal)`, which covers the exact charge. */
  readonly maxGasFee: number;
  readonly maxGasFeeUSD: number;
  /** To be written as an integer literal, every digit. */
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
/** Premium is kept in millionths; a percent has ten thousand of them. */
const PERCENT_DECIMALS = 4;

/** Writes a quote in the words of the interface document; both amounts are rounded up. */
export function presentFeeQuote(quote: TokenQuote, { validUntilSeconds }: { validUntilSeconds: number }): FeeQuote {
  const { symbol, decimals, address, logoUrl } = quote.token;
  const maxGasFee = shownFee(quote);
  return {
    symbol,
    decimal: decimals,
    tokenAddress: address,
    maxGasFee,
    maxGasFeeUSD: doubleAtLeast(microUsd(quote, approved(maxGasFee, decimals)), USD_SHOWN_DECIMALS),
    exchangeRate: quote.exchangeRate,
    premiumPercentage: decimalText(quote.premiumMillionths - PREMIUM_DENOMINATOR, PERCENT_DECIMALS),
    validUntil: validUntilSeconds,
    logoUrl: logoUrl ?? '',
  };
}

/** What clients approve after they have seen the quote, and so what it promises; base units, at least the charge. */
export function quotedCeilingBaseUnits(quote: TokenQuote): bigint {
  return approved(shownFee(quote), quote.token.decimals);
}

function shownFee({ maxChargeBaseUnits, token }: TokenQuote): number {
  return doubleAtLeast(maxChargeBaseUnits, token.decimals);
}

function approved(maxGasFee: number, decimals: number): bigint {
  return BigInt(Math.ceil(maxGasFee * 10 ** decimals));
}

function microUsd({ tokenUsdE36, token }: TokenQuote, baseUnits: bigint): bigint {
  return ceilDiv(baseUnits * tokenUsdE36, pow10(token.decimals + USD_DECIMALS - USD_SHOWN_DECIMALS));
}
