/** The type of a value in JSON: every bigint is a string of decimal digits. */
export type OnWire<T> = T extends bigint
  ? string
  : T extends readonly (infer Item)[]
    ? readonly OnWire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: OnWire<T[Key]> }
      : T;

export function toDigits(amount: bigint | null): string | null {
  return amount === null ? null : amount.toString();
}

export function fromDigits(digits: string | null): bigint | null {
  return digits === null ? null : BigInt(digits);
}
