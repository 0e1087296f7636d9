import { digits, integer, object, objects, optional, orAbsent, orNull, SchemaError } from './schema';

const message = object({
  count: integer(1, 9),
  cap: orNull(digits),
  later: orAbsent(digits),
  items: objects(object({ of: integer(0, 5) }), { most: 2, key: ({ of }) => of }),
});
const pathOf = (json: unknown): string | undefined => {
  try {
    message.read(json);
    return undefined;
  } catch (error) {
    return (error as SchemaError).path.join('.');
  }
};
const good = { count: 1, cap: '2', items: [{ of: 1 }] };

describe('a schema', () => {
  it('reads a message from before a field was added, and writes the field only where it is set', () => {
    const value = message.read(good);
    expect(value).toEqual({ count: 1, cap: 2n, later: null, items: [{ of: 1 }] });
    expect(Object.keys(message.write(value))).toEqual(['count', 'cap', 'items']);
    expect(message.write({ ...value, later: 5n })).toEqual({ ...good, later: '5' });
    expect(message.read({ ...good, later: '5' }).later).toBe(5n);
  });

  it.each<[string, object]>([
    ['count', { count: 10 }],
    ['cap', { cap: undefined }],
    ['cap', { cap: '01' }],
    ['later', { later: 5 }],
    ['items', { items: [{ of: 1 }, { of: 1 }] }],
    ['items.1.of', { items: [{ of: 1 }, { of: 6 }] }],
    ['constructor', { constructor: 1 }],
    ['__proto__', JSON.parse('{"__proto__":1}') as object],
  ])('names %s where it is wrong', (path, changes) => {
    expect(pathOf({ ...good, ...changes })).toBe(path);
  });

  it('describes the same bounds for the API document', () => {
    const components = {};
    object({ a: integer(1, 9), b: optional(digits, { nullable: true }) }, 'Both').describe(components);
    expect(components).toEqual({
      Both: {
        type: 'object',
        properties: { a: { type: 'integer', minimum: 1, maximum: 9 }, b: { type: 'string', nullable: true } },
        required: ['a'],
      },
    });
  });
});
