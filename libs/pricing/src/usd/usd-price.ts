import { decimalText } from './decimal-text';
import { pow10 } from './pow10';

/** Decimals of every price in this library: USD per whole unit, times 1e36. */
export const USD_DECIMALS = 36;

/** No whole unit costs less than 1e-18 USD or more than 1e18: a price beyond that is a mistake or an attack. */
const MIN_USD_E36 = 10n ** 18n;
const MAX_USD_E36 = 10n ** 54n;

/** Whether a price above zero is possible at all. */

export function isPlausibleUsd(usdE36: bigint): boolean {
  return usdE36 >= MIN_USD_E36 && usdE36 <= MAX_USD_E36;
}

/** A JSON number: digits and exponent are bounded, so that no text can grow into a huge integer. */
const NUMBER = /^(-?)(0|[1-9]\d{0,99})(?:\.(\d{1,200}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads decimal text such as `2412.07` or `1.2e-9` exactly. Digits behind the 36th decimal are cut off.
 *
 * @returns USD times 1e36, may be zero or negative; undefined when the text is not a decimal number, or one beyond 1e18
 */
export function parseUsdE36(text: string): bigint | undefined {
  const parts = NUMBER.exec(text);
  if (!parts) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(whole + fraction);
  const scale = USD_DECIMALS + Number(exponent) - fraction.length;
  const magnitude = scale >= 0 ? digits * pow10(scale) : digits / pow10(-scale);
  if (magnitude > MAX_USD_E36) return undefined;
  return sign ? -magnitude : magnitude;
}

/** A feed's answer of `decimals` decimals (at most 36) as USD times 1e36. */
export function toUsdE36(answer: bigint, decimals: number): bigint {
  return answer * pow10(USD_DECIMALS - decimals);
}

/** For people: `2412.07`. */
export function formatUsd(usdE36: bigint): string {
  return decimalText(usdE36, USD_DECIMALS);
}
