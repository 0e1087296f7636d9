import { normalizeAddress, type Address } from './hex';
import { millionthsToPercent, percentToMillionths } from './percent';
import type { ChargingWay } from './token';

/** What a declared field can be. What a kind is on REST, on NATS and in the database is said once for each kind, there. */
type Kind =
  | { readonly kind: 'flag'; readonly standard: boolean }
  | { readonly kind: 'choice'; readonly standard: string; readonly words: readonly string[] }
  | {
      readonly kind: 'seconds' | 'count' | 'percent';
      readonly standard: number;
      readonly from: number;
      readonly to?: number;
    }
  /** Millionths in memory; people write and read it in percent, under the name `writtenAs`. */
  | { readonly kind: 'premium'; readonly standard: number; readonly writtenAs: string }
  | { readonly kind: 'wei'; readonly standard: bigint | null }
  | { readonly kind: 'address'; readonly standard: Address | null }
  | { readonly kind: 'name'; readonly standard: string | null; readonly to: number }
  | { readonly kind: 'icon' | 'logo'; readonly standard: string | null }
  | { readonly kind: 'origins' | 'servers'; readonly standard: readonly string[] }
  | { readonly kind: 'ways'; readonly standard: readonly ChargingWay[]; readonly mayBeEmpty?: true }
  /** Null does not restrict; an empty list would read like that too, so it is refused. */
  | {
      readonly kind: 'list';
      readonly of: 'origin' | 'network' | 'address' | 'method' | 'id';
      readonly standard: null;
      readonly to: number;
    };

/** The declaration of one field that owners set. Bounds hold for what they send. */
export type Field = Kind & {
  /** For owners, in the API document. */
  readonly says: string;
  /** A dashboard from before the field sends nothing for it, and the gateway takes `standard`. So all new ones have it. */
  readonly mayBeAbsent?: true;
};

export type FieldTable = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> = F extends { readonly words: readonly (infer Word)[] }
  ? Word
  : F extends { readonly of: infer Item }
    ? readonly (Item extends 'address' ? Address : string)[] | null
    : (Field & { readonly kind: F['kind'] })['standard'];

/** The values of the fields of a table, as the domain has them. */
export type ValuesOf<Table extends FieldTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

/** A value for each field, in the order of the table. */
export function eachField<Table extends FieldTable, T>(
  table: Table,
  valueOf: (field: Table[keyof Table], name: keyof Table & string) => T,
): Readonly<Record<keyof Table, T>> {
  const entries = Object.entries(table) as [keyof Table & string, Table[keyof Table]][];
  return Object.fromEntries(entries.map(([name, field]) => [name, valueOf(field, name)])) as Record<keyof Table, T>;
}

/** What holds until an owner changes it. */
export function standardsOf<Table extends FieldTable>(table: Table): ValuesOf<Table> {
  return eachField(table, ({ standard }) => standard) as ValuesOf<Table>;
}

/**
 * The values without those that are standard and may be absent. A message or a row without them says the same, also to
 * readers from before the field.
 */
export function withoutStandards<Values extends object>(table: FieldTable, values: Values): Values {
  const left = Object.entries(values).filter(([name, value]) => {
    const field = table[name];
    return !(field?.mayBeAbsent && field.standard === value);
  });
  return Object.fromEntries(left) as Values;
}

/** What people call a field: what they write in another unit has another name. */
export const writtenName = (field: Field, name: string): string => ('writtenAs' in field ? field.writtenAs : name);

type WrittenName<F extends Field, Name> = F extends { readonly writtenAs: infer Written extends string }
  ? Written
  : Name;
type Written<F extends Field> = F extends { readonly writtenAs: string }
  ? string
  : ValueOf<F> extends bigint | null
    ? string | null
    : ValueOf<F>;

/** The fields of a table as people write and read them: wei as digits, a premium in percent. */
export type WrittenOf<Table extends FieldTable> = {
  readonly [Name in keyof Table as WrittenName<Table[Name], Name>]: Written<Table[Name]>;
};

/** What people wrote, as the domain has it; nothing for what they left out. */
export function readWritten<Table extends FieldTable>(table: Table, written: object): Partial<ValuesOf<Table>> {
  const read = Object.entries(
    eachField(table, (field, name) => inMemory(field, (written as Record<string, unknown>)[writtenName(field, name)])),
  );
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Partial<ValuesOf<Table>>;
}

/** The values as people read them. */
export function toWritten<Table extends FieldTable>(table: Table, values: ValuesOf<Table>): WrittenOf<Table> {
  const written = Object.entries<Field>(table).map(([name, field]) => {
    const value: unknown = values[name];
    const shown = typeof value === 'bigint' ? String(value) : value;
    return [writtenName(field, name), field.kind === 'premium' ? millionthsToPercent(value as number) : shown];
  });
  return Object.fromEntries(written) as WrittenOf<Table>;
}

function inMemory(field: Field, written: unknown): unknown {
  if (field.kind === 'list' && Array.isArray(written)) {
    const isHex = field.of === 'address' || field.of === 'id';
    return [...new Set(isHex ? written.map((item: string) => item.toLowerCase()) : written)];
  }
  if (typeof written !== 'string') return written;
  if (field.kind === 'wei') return BigInt(written);
  if (field.kind === 'premium') return percentToMillionths(written);
  return field.kind === 'address' ? normalizeAddress(written) : written;
}
