/** How many significant digits every JSON number keeps on its way through a double. */
const EXACT_DIGITS = 15;

/** Text of an amount: digits, and a point with digits behind it; bounded, so that no text makes a huge number. */
const DECIMAL_TEXT = /^[0-9]{1,77}(\.[0-9]{1,77})?$/;

/**
 * The decimal text of an amount as JSON may hold it: text of digits, or a number. A number is read as it is written
 * and never calculated with; one of more than 15 significant digits may have lost some before it got here.
 *
 * @returns undefined for what is not exactly an amount
 */
export function decimalTextOf(value: unknown): string | undefined {
  if (typeof value === 'string') return DECIMAL_TEXT.test(value) ? value : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  const text = withoutExponent(String(value));
  return significantDigits(text) <= EXACT_DIGITS && DECIMAL_TEXT.test(text) ? text : undefined;
}

/**
 * `'1.5'` with 18 decimals is 1,500,000,000,000,000,000.
 *
 * @param text as {@link decimalTextOf} gives it
 * @returns undefined when the text is finer than `decimals`
 */
export function toUnits(text: string, decimals: number): bigint | undefined {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** The shortest text of the same amount: no leading zeros, none at the end of the fraction. */
export function shortestDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const end = fraction.replace(/0+$/, '');
  return BigInt(whole).toString() + (end && `.${end}`);
}

/** A number where JSON keeps it exactly, which is what clients expect; else its text. */
export function numberIfExact(text: string): number | string {
  return significantDigits(text) <= EXACT_DIGITS ? Number(text) : text;
}

/** `'1.5e-7'` is `'0.00000015'`. */
function withoutExponent(text: string): string {
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

function significantDigits(text: string): number {
  return text.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
}

/** All that NUMERIC(78,0) surely holds, with room for sums. */
const TOO_MUCH = 10n ** 77n;

/** How fine an amount may be, and what one unit is called. */
export interface AmountKind {
  readonly decimals: number;
  readonly of: string;
}

/** The amount in its smallest unit, or undefined when it is not exactly one above zero. */
export function unitsOf(value: unknown, { decimals }: AmountKind): bigint | undefined {
  const text = decimalTextOf(value);
  const units = text === undefined ? undefined : toUnits(text, decimals);
  return units !== undefined && units > 0n && units < TOO_MUCH ? units : undefined;
}

/** What an amount of the kind must be. */
export function amountSentenceOf({ decimals, of }: AmountKind): string {
  const fineness = decimals === 0 ? 'a whole number' : `a decimal number with at most ${decimals} decimals`;
  return `${fineness} of ${of}, above zero; as text where it has more than 15 digits`;
}
