import { decimalText, isDecimalAtLeast } from '../usd/decimal-text';

/** The least number that JavaScript prints without an exponent. Existing clients fail on `1e-7`. */
const SMALLEST = 1e-6;

/**
 * The smallest JSON number that is at least `units / 10^decimals`, however a client converts it:
 * `Math.ceil(x * 10 ** decimals)` in doubles, or its printed digits exactly (`parseUnits`). At least 1e-6.
 *
 * @param units integer, above zero
 */
export function doubleAtLeast(units: bigint, decimals: number): number {
  const exact = decimalText(units, decimals);
  let candidate = Math.max(Number(exact), SMALLEST);
  while (!coversAsDouble(candidate, units, decimals) || !isDecimalAtLeast(printed(candidate), exact))
    candidate = nextDouble(candidate);
  return candidate;
}

function coversAsDouble(candidate: number, units: bigint, decimals: number): boolean {
  // A number and a bigint are compared exactly.
  return Math.ceil(candidate * 10 ** decimals) >= units;
}

function printed(candidate: number): string {
  // From here on JavaScript prints an exponent, which no `parseUnits` can read, so only the value counts.
  return candidate >= 1e21 ? BigInt(candidate).toString() : candidate.toString();
}

const DOUBLE = new Float64Array(1);
const BITS = new BigUint64Array(DOUBLE.buffer);

/** The next larger double; for positive ones that is the next bit pattern. */
function nextDouble(value: number): number {
  DOUBLE[0] = value;
  BITS[0] = (BITS[0] ?? 0n) + 1n;
  return DOUBLE[0];
}
