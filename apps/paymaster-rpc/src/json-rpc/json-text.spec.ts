import { jsonText } from './json-text';

describe('jsonText', () => {
  it('writes a bigint with all its digits, without an exponent', () => {
    const { text } = jsonText({ exchangeRate: 232_808_808_808_808_800_000_001n, others: [-1n, 0n], decimal: 18 });
    expect(text).toBe('{"exchangeRate":232808808808808800000001,"others":[-1,0],"decimal":18}');
  });

  it('writes everything else as JSON.stringify does', () => {
    const value = { a: [1, 'x"\u2028', null, undefined, { b: true }], c: undefined, '"': -0.5, d: [], e: {}, f: 1e21 };
    expect(jsonText(value).text).toBe(JSON.stringify(value));
  });
});
