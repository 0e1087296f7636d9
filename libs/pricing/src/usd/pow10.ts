const POWERS = Array.from({ length: 128 }, (_, exponent) => 10n ** BigInt(exponent));

/** 10 to the `exponent`, as bigint; from a table where quotes need it. */
export function pow10(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}
