import fc from 'fast-check';
import { SimplePrices } from './simple-prices';

const seed = Number(process.env['TEST_SEED']);
const priceOf = (body: string, id = 'ethereum') => SimplePrices.parse(body)?.of(id);
const entry = (usd: string, stamp = '1700000000') => `{"ethereum":{"usd":${usd},"last_updated_at":${stamp}}}`;

describe('SimplePrices', () => {
  it.each(['2412.07', '1.2e-9', '0.1234567890123456789012345', '123456789012345678901234567890', '-5', '0'])(
    'keeps every digit of %s',
    (usd) => {
      expect(priceOf(entry(usd))).toEqual({ usdText: usd, updatedAtSeconds: 1_700_000_000 });
    },
  );

  it('keeps the digits of any JSON number, whatever stands in strings beside it', () => {
    fc.assert(
      fc.property(fc.string(), fc.bigInt({ min: 0n, max: 10n ** 30n }), (name, whole) => {
        const body = `{${JSON.stringify(`x${name}`)}: "-1.5e3 ${whole}", "ethereum":{"usd":${whole}.5,"last_updated_at":7}}`;
        expect(priceOf(body)).toEqual({ usdText: `${whole}.5`, updatedAtSeconds: 7 });
      }),
      { seed },
    );
  });

  it.each([
    '{}',
    '{"ethereum":{}}',
    '{"ethereum":null}',
    '{"ethereum":5}',
    '{"ethereum":[]}',
    entry('"2412.07"'),
    entry('null'),
    entry('true'),
    '{"ethereum":{"usd":1}}',
    entry('1', '"1700000000"'),
    entry('1', '1.5'),
    entry('1', '1e30'),
    '{"__proto__":{"ethereum":{"usd":1,"last_updated_at":1}}}',
  ])('has no price in %s', (body) => {
    expect(SimplePrices.parse(body)).toBeDefined();
    expect(priceOf(body)).toBeUndefined();
  });

  it('does not read an inherited property as an entry', () => {
    expect(priceOf('{}', 'constructor')).toBeUndefined();
    expect(priceOf('{}', '__proto__')).toBeUndefined();
  });

  it.each(['', 'null', '[]', '5', '<html>', '{"a":', '{"a":01}', '{"a":NaN}'])('refuses the answer: %s', (body) => {
    expect(SimplePrices.parse(body)).toBeUndefined();
  });
});
