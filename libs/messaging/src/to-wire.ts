/** The type of a value in JSON: every bigint is a string of decimal digits. */
export type OnWire<T> = T extends bigint
  ? string
  : T extends readonly (infer Item)[]
    ? readonly OnWire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: OnWire<T[Key]> }
      : T;

/** An object whose bigints stand in its fields, in JSON. */
export function toWire<T extends object>(fields: T): OnWire<T> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ]);
  return Object.fromEntries(entries) as OnWire<T>;
}
