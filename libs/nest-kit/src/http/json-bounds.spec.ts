import fc from 'fast-check';
import { passedBound, type JsonBounds } from './json-bounds';

const MANY = 1_000_000;
const NONE: JsonBounds = { levels: MANY, keys: MANY, items: MANY, names: MANY, objects: MANY, values: MANY };
const passed = (json: string, bounds: Partial<JsonBounds>) => passedBound(Buffer.from(json), { ...NONE, ...bounds });
const list = (items: number, item = '0'): string => `[${Array(items).fill(item).join()}]`;
const object = (keys: number, key = (at: number) => `k${at}`): string =>
  `{${Array.from({ length: keys }, (_, at) => `${JSON.stringify(key(at))} : 1`).join()}}`;

describe('passedBound', () => {
  it.each<[string, keyof JsonBounds, number, string, string, string]>([
    ['lists', 'levels', 3, '[[[]]]', '[[[[]]]]', ''],
    ['objects', 'levels', 2, '{"a":{}}', '{"a":{"b":{}}}', ''],
    ['items', 'items', 3, list(3), list(4), ''],
    ['items inside', 'items', 3, `{"a":1,"b":[0,${list(3)}]}`, `{"a":1,"b":[0,${list(4)}]}`, 'b.1'],
    ['items after others', 'items', 3, `[${list(3)},${list(3)}]`, `[${list(3)},${list(4)}]`, '1'],
    ['keys', 'keys', 3, object(3), object(4), ''],
    ['keys inside', 'keys', 3, `[{"a":${object(3)}}]`, `[{"a":${object(4)}}]`, '0.a'],
    ['one key again and again', 'keys', 3, object(3, () => 'a'), object(4, () => 'a'), ''],
    ['names', 'names', 3, `[${object(3)},${object(3)}]`, `[${object(3)},{"k4":1}]`, ''],
    ['names with quotes', 'names', 2, object(2, (at) => `"${at}`), object(3, (at) => `"${at}`), ''],
    ['objects and lists together', 'objects', 3, '[{},[]]', '[{},[],[]]', ''],
    ['values', 'values', 5, '[[1,2],3]', '[[1,2],3,4]', ''],
    ['empty values', 'values', 4, '[{},0]', '[{},[]]', ''],
  ])('counts %s', (_what, of, most, within, beyond, path) => {
    expect(passed(within, { [of]: most })).toBeUndefined();
    expect(passed(beyond, { [of]: most })).toEqual({ of, most, path });
  });

  it.each(['"[[[{{{,,,::"', '{"a\\"[,":"\\\\"}', '"\\\\\\"[[[["', '{"\\u005b":"\\u007b,"}'])(
    'does not count what stands in a text: %s',
    (json) => {
      expect(passed(json, { levels: 1, keys: 1, items: 1, names: 1, objects: 1, values: 2 })).toBeUndefined();
    },
  );

  it.each(['', ']]]}}}[', '"', '"\\', '{"a', ',,,,,,', '::::'])('says nothing of %j, which is no JSON', (json) => {
    expect(passed(json, { levels: 1, keys: 1, items: 1, names: 1 })).toBeUndefined();
  });

  it.each([
    ['a long key', 'x'.repeat(65)],
    ['markup', '<b>'],
    ['a dot', 'a.b'],
  ])('does not repeat %s', (_what, key) => {
    expect(passed(JSON.stringify({ [key]: [1, 2] }), { items: 1 })).toMatchObject({ path: '?' });
  });

  it('finds what JSON.parse makes, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, spaced) => {
        const json = JSON.stringify(value, null, spaced ? 1 : 0);
        const bounds = measured(value);
        expect(passedBound(Buffer.from(json), bounds)).toBeUndefined();
        for (const [of, most] of Object.entries(bounds)) {
          const isAlways = most === 0 || (most === 1 && ['keys', 'items', 'values'].includes(of));
          if (!isAlways) expect(passed(json, { [of]: most - 1 })).toMatchObject({ of, most: most - 1 });
        }
      }),
    );
  });
});

/** The same counts, computed from the parsed value. */
function measured(root: unknown): JsonBounds {
  const names = new Set<string>();
  const counted = { levels: 0, keys: 0, items: 0, objects: 0, values: 0 };
  const count = (value: unknown, level: number): void => {
    counted.values++;
    if (typeof value !== 'object' || value === null) return;
    const children = Object.values(value);
    const of = Array.isArray(value) ? 'items' : 'keys';
    counted.objects++;
    counted.levels = Math.max(counted.levels, level);
    counted[of] = Math.max(counted[of], children.length);
    if (children.length === 0) counted.values++;
    if (!Array.isArray(value)) Object.keys(value).forEach((key) => names.add(JSON.stringify(key)));
    children.forEach((child) => count(child, level + 1));
  };
  count(root, 1);
  return { ...counted, names: names.size };
}
