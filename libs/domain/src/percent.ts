/** 0 to 100 as people write it, with at most 4 decimals: exactly what millionths can hold. */
export const PERCENT_PATTERN = /^(100(\.0{1,4})?|(0|[1-9]\d?)(\.\d{1,4})?)$/;

const DECIMALS = 4;

/**
 * `'2.5'` is 25,000 millionths.
 *
 * @param percent of {@link PERCENT_PATTERN}
 */
export function percentToMillionths(percent: string): number {
  const [whole = '0', fraction = ''] = percent.split('.');
  return Number(whole + fraction.padEnd(DECIMALS, '0'));
}

/** 25,000 millionths are `'2.5'`. */
export function millionthsToPercent(millionths: number): string {
  const digits = String(millionths).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}
