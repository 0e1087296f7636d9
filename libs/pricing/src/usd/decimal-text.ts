/** `units / 10^decimals` as decimal text, exact, without an exponent and without trailing zeros: `0.0815`. */
export function decimalText(units: bigint, decimals: number): string {
  if (units < 0n) return `-${decimalText(-units, decimals)}`;
  const digits = units.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end -= 1;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** Whether `a` is `b` or more; both not negative, and as {@link decimalText} writes them. */
export function isDecimalAtLeast(a: string, b: string): boolean {
  const [wholeA, wholeB] = [wholeDigits(a), wholeDigits(b)];
  // With the point in the same place, the order of the texts is that of the numbers.
  return wholeA === wholeB ? a >= b : wholeA > wholeB;
}

function wholeDigits(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? text.length : point;
}
