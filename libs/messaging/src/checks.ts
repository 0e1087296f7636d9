/** Checks that a value is what a field of a message must be. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

export const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

export const isAddress = matching(/^0x[0-9a-f]{40}$/);
export const isSelector = matching(/^0x[0-9a-f]{8}$/);
export const isWei = matching(/^\d{1,78}$/);

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** For a field that publishers of a former version do not send. */
export const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** The list has no value twice. */
export const withoutTwins =
  (check: Check): Check =>
  (value) =>
    check(value) && new Set(value as unknown[]).size === (value as unknown[]).length;

/** No two items of the list have the same `field`. */
export const withoutTwinsBy =
  (field: string, check: Check): Check =>
  (value) =>
    check(value) &&
    new Set((value as Record<string, unknown>[]).map((item) => item[field])).size === (value as unknown[]).length;

/** A list of at most this many items. */
export const atMost =
  (most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most;

export const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);

export const integer =
  (from: number, to: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to;

/** Text of `from` to `to` characters. */
export const text =
  (from: number, to: number): Check =>
  (value) =>
    typeof value === 'string' && value.length >= from && value.length <= to;

/** An object whose fields all pass their checks. */
export const record =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([field, check]) => check((value as Record<string, unknown>)[field]));

/** Like {@link record}, but an object with any other field fails. */
export const exactRecord =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    record(fields)(value) && Object.keys(value as object).every((field) => Object.hasOwn(fields, field));

export const both =
  (first: Check, second: Check): Check =>
  (value) =>
    first(value) && second(value);
