/** Percent as decimal text of at most 4 decimals: `'2.5'` is 25,000 millionths. */
export function percentToMillionths(percent: string): number {
  const [whole = '0', fraction = ''] = percent.split('.');
  return Number(whole + fraction.padEnd(4, '0'));
}
