/** A premium in percent as owners write it: 0 to 100, at most 4 decimals, which is exactly what millionths can hold. */
export const PREMIUM_PATTERN = /^(100(\.0{1,4})?|(0|[1-9]\d?)(\.\d{1,4})?)$/;

const DECIMALS = 4;

/**
 * `'2.5'` is 25,000 millionths.
 *
 * @param percentage of {@link PREMIUM_PATTERN}
 */
export function toPremiumMillionths(percentage: string): number {
  const [whole = '0', fraction = ''] = percentage.split('.');
  return Number(whole + fraction.padEnd(DECIMALS, '0'));
}

/** 25,000 millionths are `'2.5'`. */
export function toPremiumPercentage(millionths: number): string {
  const digits = String(millionths).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}
