import { formatUnits, parseUnits } from 'viem';

const COIN_DECIMALS = 18;
const SHOWN_DIGITS = 4;
/** Unit: wei. Below this (0.00001 of a coin) too many zeros come first, so the amount is shown in gwei. */
const SMALLEST_IN_COIN = 10n ** 13n;
const GWEI_DECIMALS = 9;
/** Unit: wei. Below this (0.00001 gwei) the amount is shown in wei. */
const SMALLEST_IN_GWEI = 10n ** 4n;
const DIGITS = /^\d{1,60}(\.\d{1,18})?$/;

/**
 * Wei as a person reads it: `1.25 ETH`, `0.0008591 ETH`, `0.42 gwei`, `1 wei`. Digits that are left out are cut off, so
 * neither an amount nor a debt looks larger than it is.
 */
export function shortAmount(wei: string | bigint, symbol: string): string {
  const value = BigInt(wei);
  if (value === 0n) return `0 ${symbol}`;
  const magnitude = value < 0n ? -value : value;
  if (magnitude < SMALLEST_IN_GWEI) return `${grouped(value.toString())} wei`;
  if (magnitude < SMALLEST_IN_COIN) return `${cut(formatUnits(value, GWEI_DECIMALS), SHOWN_DIGITS)} gwei`;
  return `${cut(formatUnits(value, COIN_DECIMALS), SHOWN_DIGITS)} ${symbol}`;
}

/** Every digit, in the coin and in wei. */
export function exactAmount(wei: string | bigint, symbol: string): string {
  const value = BigInt(wei);
  return `${formatUnits(value, COIN_DECIMALS)} ${symbol} = ${grouped(value.toString())} wei`;
}

/**
 * What a person typed in whole coins, in wei; undefined where it is no amount. What the forms of policies take in other
 * units, as USD, is not read here: the page sends it as typed.
 */
export function parseCoins(text: string): bigint | undefined {
  const plain = text.trim();
  return DIGITS.test(plain) ? parseUnits(plain, COIN_DECIMALS) : undefined;
}

/** A count with its thousands apart: `12,345`. */
export function grouped(digits: string | number): string {
  return String(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A decimal number with its thousands apart: `96,210.55`. */
export function groupedDecimal(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/**
 * Keeps all digits before the point, with commas between the thousands, and at most `digits` behind it. Of a number below
 * one, the zeros right behind the point are not counted.
 */
export function cut(decimal: string, digits: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const leadingZeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const isWholeZero = whole === '0' || whole === '-0';
  const kept = fraction.slice(0, isWholeZero ? leadingZeros + digits : digits).replace(/0+$/, '');
  return kept ? `${grouped(whole)}.${kept}` : grouped(whole);
}
