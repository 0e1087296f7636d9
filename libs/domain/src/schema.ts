import { amountSentenceOf, decimalTextOf, shortestDecimal, unitsOf, type AmountKind } from './decimal';
import { normalizeAddress, type Address } from './hex';

/** A part of an OpenAPI document. */
export interface OpenApiSchema {
  [key: string]: unknown;
}

/** Named schemas of an OpenAPI document, for `components.schemas`. */
export type OpenApiComponents = Record<string, OpenApiSchema>;

/** What the API document says of a field besides its shape. */
export type About = Readonly<Record<string, unknown>>;

/** Where a value that a client sent stands: in the object at the path `where`, under `property`. */
export interface Place {
  readonly where: string;
  readonly property: string;
  /** The object it stands in. */
  readonly beside: object;
}

/**
 * One kind of JSON value, described once. Clients may spell a value in several ways; `accept` makes the one form of
 * it that is stored, shown and sent on NATS. `read` takes that form only.
 */
export interface Schema<Value = unknown, Json = unknown> {
  /** May be left out of its object, or be null there. */
  readonly isOptional?: boolean;
  /** Lists of objects: how many there may be. They are counted before anything is made of them. */
  readonly mostObjects?: number;
  /** The stored form of what a client sent. @throws {SchemaError} with a sentence that names the field */
  accept(sent: unknown, place: Place): Json;
  /** The value in memory. @throws {SchemaError} whose path leads to what is wrong */
  read(json: unknown): Value;
  write(value: Value): Json;
  /** What the API document says of the form that clients send. */
  describe(components: OpenApiComponents): OpenApiSchema;
}

export type ValueOf<S extends Schema> = ReturnType<S['read']>;
export type JsonOf<S extends Schema> = ReturnType<S['accept']>;

/** A value that is not what its schema says. */
export class SchemaError extends Error {
  constructor(
    sentence: string,
    /** Of what was read, from the outermost field; empty for what was sent, whose sentence names the field. */
    readonly path: readonly (string | number)[] = [],
  ) {
    super(sentence);
    this.name = 'SchemaError';
  }

  /** The same error, seen from one level further out. */
  within(field: string | number): SchemaError {
    return new SchemaError(this.message, [field, ...this.path]);
  }
}

/** A name that is sent can be as long as the body. */
const MAX_QUOTED = 100;

function refuse({ where, property }: Place, problem: string): never {
  throw new SchemaError(`${where && `${where}: `}${property} ${problem}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No field of a prototype is a field of the JSON. */
function fieldOf(value: object, field: string): unknown {
  return Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined;
}

function readWhere<T>(isGood: (json: unknown) => boolean): (json: unknown) => T {
  return (json) => {
    if (!isGood(json)) throw new SchemaError('is wrong');
    return json as T;
  };
}

export function integer(from: number, to: number | undefined, about: About = {}): Schema<number, number> {
  return {
    accept(sent, place) {
      if (!Number.isInteger(sent)) refuse(place, 'must be an integer number');
      const number = sent as number;
      if (number < from) refuse(place, `must not be less than ${from}`);
      if (to !== undefined && number > to) refuse(place, `must not be greater than ${to}`);
      return number;
    },
    read: readWhere((json) => Number.isSafeInteger(json) && Number(json) >= from && Number(json) <= (to ?? Infinity)),
    write: (value) => value,
    describe: () => ({ type: 'integer', minimum: from, ...(to !== undefined && { maximum: to }), ...about }),
  };
}

/** Decimal digits of all that NUMERIC(78,0) surely holds, with room for sums. */
const AMOUNT = /^(0|[1-9][0-9]{0,76})$/;

/** Wei, or another smallest unit: decimal digits in JSON, a bigint in memory. */
export const digits: Schema<bigint, string> = {
  accept: (sent, place) =>
    typeof sent === 'string' && AMOUNT.test(sent) ? sent : refuse(place, 'must be a string of decimal digits'),
  read(json) {
    if (typeof json !== 'string' || !AMOUNT.test(json)) throw new SchemaError('is wrong');
    return BigInt(json);
  },
  write: String,
  describe: () => ({ type: 'string' }),
};

/** An amount above zero as decimal text; what kind it is depends on the object that it stands in. */
export function amount(kindOf: (beside: object) => AmountKind, about: About = {}): Schema<string, string> {
  return {
    accept(sent, place) {
      const kind = kindOf(place.beside);
      if (unitsOf(sent, kind) === undefined) refuse(place, `must be ${amountSentenceOf(kind)}`);
      return shortestDecimal(decimalTextOf(sent) ?? '');
    },
    read: readWhere((json) => typeof json === 'string' && decimalTextOf(json) !== undefined),
    write: (value) => value,
    describe: () => ({ anyOf: [{ type: 'string' }, { type: 'number' }], ...about }),
  };
}

/** An address: in any case where a client sends it, in lower case everywhere else. */
const listedAddress: Schema<Address, Address> = {
  accept: (sent, place) =>
    typeof sent === 'string' && /^0x[0-9a-fA-F]{40}$/.test(sent)
      ? normalizeAddress(sent)
      : refuse(place, 'must be an address: 0x and 40 hexadecimal digits'),
  read: readWhere((json) => typeof json === 'string' && /^0x[0-9a-f]{40}$/.test(json)),
  write: (value) => value,
  describe: () => ({ type: 'string' }),
};

export const address: Schema<Address, Address> = {
  ...listedAddress,
  accept: (sent, place) =>
    typeof sent === 'string' ? listedAddress.accept(sent, place) : refuse(place, 'must be a string'),
  describe: () => ({
    type: 'string',
    pattern: '^0x[0-9a-fA-F]{40}$',
    example: '0xe31b0bcbda693bff2529f4a1d9f7e8f6d924c6ab',
  }),
};

export function oneOf<const Word extends string>(words: readonly Word[], about: About = {}): Schema<Word, Word> {
  const isWord = (value: unknown): value is Word => words.includes(value as Word);
  return {
    accept: (sent, place) =>
      isWord(sent) ? sent : refuse(place, `must be one of the following values: ${words.join(', ')}`),
    read: readWhere(isWord),
    write: (value) => value,
    describe: () => ({ type: 'string', enum: [...words], ...about }),
  };
}

/** Text of at most so many characters. What is stored also fits the pattern, if there is one. */
export function text(
  most: number,
  { pattern = /^/, ...about }: About & { pattern?: RegExp } = {},
): Schema<string, string> {
  return {
    accept(sent, place) {
      if (typeof sent !== 'string') refuse(place, 'must be a string');
      if ([...sent].length > most) refuse(place, `must be shorter than or equal to ${most} characters`);
      return sent;
    },
    read: readWhere((json) => typeof json === 'string' && json.length <= most && pattern.test(json)),
    write: (value) => value,
    describe: () => ({ type: 'string', ...about }),
  };
}

/** Anything but nothing: what it must be depends on other fields, and is checked by who knows them. */
export function anything<T>(about: About): Schema<T, T> {
  return {
    accept: (sent, place) => (sent ?? refuse(place, 'should not be null or undefined')) as T,
    read: (json) => json as T,
    write: (value) => value,
    describe: () => ({ ...about }),
  };
}

interface ListBounds<Value> {
  readonly most: number;
  readonly least?: 0 | 1;
  /** No two items have the same key. */
  readonly key?: (item: Value) => unknown;
  readonly ofObjects?: boolean;
}

function list<Value, Json>(
  item: Schema<Value, Json>,
  { most, least = 0, key, ofObjects = false }: ListBounds<Value>,
  about: About,
): Schema<readonly Value[], readonly Json[]> {
  return {
    ...(ofObjects && { mostObjects: most }),
    accept(sent, place) {
      if (!Array.isArray(sent)) refuse(place, 'must be an array');
      if (sent.length > most) refuse(place, `must contain no more than ${most} elements`);
      const each = { ...place, property: `each value in ${place.property}` };
      if (ofObjects && !sent.every(isObject)) refuse(each, 'must be an object');
      const where = pathOf(place);
      const items = sent.map((value, at) =>
        item.accept(value, ofObjects ? { where, property: String(at), beside: sent } : each),
      );
      if (items.length < least) refuse(place, 'should not be empty');
      return ofObjects ? items : [...new Set(items)];
    },
    read(json) {
      if (!Array.isArray(json) || json.length > most) throw new SchemaError('is wrong');
      const items = json.map((each, at) => readField(item, each, at));
      if (key && new Set(items.map(key)).size < items.length) throw new SchemaError('has twins');
      return items;
    },
    write: (values) => values.map((value) => item.write(value)),
    describe: (components) => ({ maxItems: most, ...about, type: 'array', items: item.describe(components) }),
  };
}

export const addresses = (
  most: number,
  bounds: { least?: 0 | 1 } = {},
): Schema<readonly Address[], readonly Address[]> => list(listedAddress, { most, ...bounds }, {});

export const texts = (most: number, item: Schema<string, string>): Schema<readonly string[], readonly string[]> =>
  list(item, { most }, {});

export const numbers = (most: number, item: Schema<number, number>): Schema<readonly number[], readonly number[]> =>
  list(item, { most, key: (each) => each }, {});

/** A list of objects. */
export const objects = <Value, Json>(
  item: Schema<Value, Json>,
  bounds: { readonly most: number; readonly key?: (item: Value) => unknown },
): Schema<readonly Value[], readonly Json[]> => list(item, { ...bounds, ofObjects: true }, {});

/** A field that a client may leave out or send as null; it is stored only where it was sent. */
export function optional<Value, Json>(
  schema: Schema<Value, Json>,
  about: About = {},
): Schema<Value | undefined, Json | undefined> & { readonly isOptional: true } {
  return {
    ...schema,
    isOptional: true,
    accept: (sent, place) => (sent === undefined || sent === null ? undefined : schema.accept(sent, place)),
    read: (json) => (json === undefined ? undefined : schema.read(json)),
    write: (value) => (value === undefined ? undefined : schema.write(value)),
    describe(components) {
      const inner = schema.describe(components);
      const isReference = '$ref' in inner;
      return { ...(isReference ? { type: 'object', allOf: [inner] } : inner), ...about };
    },
  };
}

/** A field that has a value where it is left out; null counts as sent. */
export function withDefault<Value, Json>(schema: Schema<Value, Json>, value: Value): Schema<Value, Json> {
  return {
    ...schema,
    isOptional: true,
    accept: (sent, place) => (sent === undefined ? schema.write(value) : schema.accept(sent, place)),
    describe: (components) => ({ ...schema.describe(components), default: schema.write(value) }),
  };
}

/** A field of a message that is null where there is nothing. */
export function orNull<Value, Json>(schema: Schema<Value, Json>): Schema<Value | null, Json | null> {
  return {
    ...schema,
    accept: (sent, place) => (sent === null ? null : schema.accept(sent, place)),
    read: (json) => (json === null ? null : schema.read(json)),
    write: (value) => (value === null ? null : schema.write(value)),
  };
}

/**
 * A field that was added after the first version of a message: null in memory where there is nothing, and then absent
 * in the message. So a message from before is understood, and who does not know the field yet understands a message
 * that does not use it.
 */
export function orAbsent<Value, Json>(schema: Schema<Value, Json>): Schema<Value | null, Json | null | undefined> {
  const nullable = orNull(schema);
  return {
    ...nullable,
    read: (json) => (json === undefined ? null : nullable.read(json)),
    write: (value) => (value === null ? undefined : schema.write(value)),
  };
}

export type Fields = Readonly<Record<string, Schema>>;
type OptionalKey<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never;
}[keyof F];
type RequiredKey<F extends Fields> = Exclude<keyof F, OptionalKey<F>>;

/** An object of these fields in memory. */
export type ValuesOf<F extends Fields> = { readonly [K in RequiredKey<F>]: ValueOf<F[K]> } & {
  readonly [K in OptionalKey<F>]?: Exclude<ValueOf<F[K]>, undefined>;
};

/** An object of these fields as it is stored. */
export type JsonsOf<F extends Fields> = { readonly [K in RequiredKey<F>]: JsonOf<F[K]> } & {
  readonly [K in OptionalKey<F>]?: Exclude<JsonOf<F[K]>, undefined>;
};

/** An object of exactly these fields. @param name in the API document */
export function object<F extends Fields>(fields: F, name = ''): Schema<ValuesOf<F>, JsonsOf<F>> {
  const entries = Object.entries(fields);
  return {
    accept(sent, place) {
      if (!isObject(sent)) refuse(place, 'must be an object');
      const where = pathOf(place);
      refuseTooMany(sent, fields, where);
      const stranger = Object.keys(sent).find((key) => !Object.hasOwn(fields, key));
      if (stranger !== undefined) {
        refuse({ where, property: 'property', beside: sent }, `${stranger.slice(0, MAX_QUOTED)} should not exist`);
      }
      return made(entries, ([property, field]) =>
        field.accept(fieldOf(sent, property), { where, property, beside: sent }),
      );
    },
    read(json) {
      if (!isObject(json)) throw new SchemaError('is wrong');
      const stranger = Object.keys(json).find((key) => !Object.hasOwn(fields, key));
      if (stranger !== undefined) throw new SchemaError('is unknown', [stranger.slice(0, MAX_QUOTED)]);
      return made(entries, ([property, field]) => readField(field, fieldOf(json, property), property));
    },
    write: (value) => made(entries, ([property, field]) => field.write(fieldOf(value, property))),
    describe(components) {
      const required = entries.filter(([, { isOptional }]) => !isOptional).map(([property]) => property);
      const properties = Object.fromEntries(entries.map(([property, field]) => [property, field.describe(components)]));
      components[name] = { type: 'object', properties, ...(required.length > 0 && { required }) };
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

/** One of several kinds of object; the field `type` says which. It is read and written, never sent by a client. */
export function variants<Kinds extends Readonly<Record<string, Schema>>>(
  kinds: Kinds,
): Schema<ValueOf<Kinds[keyof Kinds]>, JsonOf<Kinds[keyof Kinds]>> {
  const kindOf = (value: unknown): Schema => {
    const type = isObject(value) ? fieldOf(value, 'type') : undefined;
    const kind = typeof type === 'string' ? fieldOf(kinds, type) : undefined;
    if (!kind) throw new SchemaError('is unknown', ['type']);
    return kind as Schema;
  };
  return {
    accept: (_sent, place) => refuse(place, 'is nothing that a client sends'),
    read: (json) => kindOf(json).read(json) as ValueOf<Kinds[keyof Kinds]>,
    write: (value) => kindOf(value).write(value) as JsonOf<Kinds[keyof Kinds]>,
    describe: () => ({}),
  };
}

function pathOf({ where, property }: Place): string {
  return where ? `${where}.${property}` : property;
}

/** Before anything else is said of the object, in the order in which its fields were sent. */
function refuseTooMany(sent: object, fields: Fields, where: string): void {
  for (const [property, value] of Object.entries(sent)) {
    const { mostObjects } = (fieldOf(fields, property) ?? {}) as Partial<Schema>;
    if (mostObjects !== undefined && Array.isArray(value) && value.length > mostObjects) {
      refuse({ where, property, beside: sent }, `must contain no more than ${mostObjects} elements`);
    }
  }
}

/** Without what is undefined. The order of the fields is always the same, so that equal values are equal texts. */
function made<T>(entries: readonly [string, Schema][], valueOf: (entry: [string, Schema]) => unknown): T {
  const result: Record<string, unknown> = {};
  for (const entry of entries) {
    const value = valueOf(entry);
    if (value !== undefined) result[entry[0]] = value;
  }
  return result as T;
}

function readField<Value>(schema: Schema<Value>, json: unknown, field: string | number): Value {
  try {
    return schema.read(json);
  } catch (error) {
    throw error instanceof SchemaError ? error.within(field) : error;
  }
}
