import fc from 'fast-check';
import { integerLiteral, jsonText } from './json-text';

const seed = Number(process.env['TEST_SEED']);

describe('jsonText', () => {
  it('writes a marked bigint with all its digits, without an exponent', () => {
    const { text } = jsonText({
      exchangeRate: integerLiteral(232_808_808_808_808_800_000_001n),
      others: [integerLiteral(-1n), integerLiteral(0n)],
      decimal: 18,
    });
    expect(text).toBe('{"exchangeRate":232808808808808800000001,"others":[-1,0],"decimal":18}');
  });

  it('writes everything else as JSON.stringify does', () => {
    const value = { a: [1, 'x"\u2028', null, undefined, { b: true }], c: undefined, '"': -0.5, d: [], e: {}, f: 1e21 };
    expect(jsonText(value).text).toBe(JSON.stringify(value));
  });

  it('writes the values beside a marked bigint as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt(), (beside, rate) => {
        const { text } = jsonText({ before: beside, rate: integerLiteral(rate), after: beside });
        expect(text).toBe(`{"before":${JSON.stringify(beside)},"rate":${rate},"after":${JSON.stringify(beside)}}`);
      }),
      { seed },
    );
  });

  it('takes no foreign string for a number', () => {
    const text = 'bigint 00000000-0000-4000-8000-000000000000 7';
    expect(jsonText({ symbol: text }).text).toBe(JSON.stringify({ symbol: text }));
  });

  it('writes no bigint that was not marked', () => {
    expect(() => jsonText({ exchangeRate: 1n })).toThrow(TypeError);
  });
});
