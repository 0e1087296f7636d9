import { InvalidRequestError, ParseError } from './errors';
import { MAX_NESTING, parseBody } from './parse-body';

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

  it.each(['', ' ', '{', '\ufeff{}', '[1,]', 'NaN'])('is JSON, which %j is not', (text) => {
    expect(() => parse(text)).toThrow(ParseError);
  });
});
