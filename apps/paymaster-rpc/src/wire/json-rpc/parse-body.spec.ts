import { InvalidRequestError, ParseError } from '../../platform/errors/rpc-errors';
import { BOUNDS, MAX_NESTING, parseBody } from './parse-body';

const parse = (text: string): unknown => parseBody(Buffer.from(text)).value;
const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);

describe('the body of a request', () => {
  it.each([
    ['arrays as deep as allowed', nested(MAX_NESTING, '[', ']')],
    ['more brackets than levels', JSON.stringify(Array.from({ length: 50 }, () => [{}]))],
    ['brackets in a text', JSON.stringify({ data: '[{'.repeat(50) })],
    ['a backslash and nothing else to hide', JSON.stringify({ data: 'a "quoted" text\n' })],
    ['the word, but not as a key', JSON.stringify({ data: '__proto__' })],
  ])('may have %s', (_title, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['arrays that are too deep', nested(MAX_NESTING + 1, '[', ']')],
    ['arrays that are too deep after a quoted one', `["[\\"", ${nested(MAX_NESTING, '[', ']')}]`],
    [
      'arrays and objects that are too deep together',
      `${'[{"a":'.repeat(MAX_NESTING / 2)}[]${'}]'.repeat(MAX_NESTING / 2)}`,
    ],
    ['a prototype', '{"a":[{"__proto__":{}}]}'],
    ['a prototype in other words', '{"\\u005f_proto__":{}}'],
    ['a prototype in other words, deep inside', '{"a":{"b":[{"__pr\\u006fto__":1}]}}'],
  ])('may not have %s', (_title, text) => {
    expect(() => parse(text)).toThrow(InvalidRequestError);
  });

  const object = (keys: number, key = (at: number) => `k${at}`): string =>
    `{${Array.from({ length: keys }, (_, at) => `"${key(at)}":1`).join()}}`;
  const list = (items: number, item = '0'): string => `[${Array(items).fill(item).join()}]`;

  it.each([
    ['an object of so many keys', object(BOUNDS.keys)],
    ['a list of so many items', list(BOUNDS.items)],
    ['so many objects', `[${list(2_000, '{"a":1}')},${list(2_000, '{"a":1}')}]`],
    ['256 KiB of call data', JSON.stringify({ method: 'a', params: [{ callData: `0x${'ab'.repeat(130_000)}` }] })],
  ])('may have %s', (_title, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    [
      '25,000 keys',
      `{"params":[{"context":${object(1_001)},"b":${object(24_000)}}]}`,
      'params.0.context has more than 1000 keys.',
    ],
    ['one key again and again', object(40_000, () => 'a'), 'The body has more than 1000 keys.'],
    ['the shortest object beyond', object(BOUNDS.keys + 1, () => ''), 'The body has more than 1000 keys.'],
    ['the shortest list beyond', list(BOUNDS.items + 1), 'The body has more than 6000 items.'],
    [
      'keys that all differ',
      `[${['k', 'l', 'm'].map((letter) => object(700, (at) => `${letter}${at}`)).join()}]`,
      'more than 2000 different keys.',
    ],
    ['empty objects', list(3, list(2_400, '{}')), 'The body has more than 5000 objects and arrays.'],
    ['small lists', list(2_400, '[0,0,0,0,0]'), 'The body has more than 10000 values.'],
    ['levels', nested(100_000, '[', ']'), 'The body is nested deeper than 32 levels.'],
  ])('may not have too much: %s', (_title, text, message) => {
    expect(() => parse(text)).toThrow(InvalidRequestError);
    expect(() => parse(text)).toThrow(message);
  });

  it('takes at most a few times as long as 256 KiB of call data, whatever it contains', () => {
    const costOf = (text: string): number => {
      const body = Buffer.from(text);
      const tookMs = Array.from({ length: 5 }, () => {
        const beganMs = performance.now();
        try {
          parseBody(body);
        } catch {
          // It is refused.
        }
        return performance.now() - beganMs;
      });
      return Math.min(...tookMs);
    };
    const honest = costOf(JSON.stringify([{ callData: `0x${'ab'.repeat(130_000)}` }]));
    const shapes = Array.from({ length: 10_000 }, (_, at) => `{"a${at}":1,"b${at}":1}`).join();
    for (const worst of [object(30_000), `[${shapes}]`, list(80_000, '{}'), nested(130_000, '[', ']')]) {
      // Without bounds it is a hundred times.
      expect(costOf(worst)).toBeLessThan(10 * honest + 1);
    }
  });

  it.each(['', ' ', '{', '\ufeff{}', '[1,]', 'NaN'])('must be JSON, and %j is no JSON', (text) => {
    expect(() => parse(text)).toThrow(ParseError);
  });
});
