import fc from 'fast-check';
import { decimalText, isDecimalAtLeast } from './decimal-text';
import { formatUsd, isPlausibleUsd, parseUsdE36, toUsdE36 } from './usd-price';

const seed = Number(process.env['TEST_SEED']);
const E36 = 10n ** 36n;

describe('parseUsdE36', () => {
  it.each<[string, bigint]>([
    ['2412.07', 241_207n * 10n ** 34n],
    ['1', E36],
    ['1.2e-9', 12n * 10n ** 26n],
    ['1.2E+3', 1_200n * E36],
    ['0.1234567890123456789', 1_234_567_890_123_456_789n * 10n ** 17n],
    ['-5', -5n * E36],
    ['0', 0n],
    ['-0.0', 0n],
    ['1e-36', 1n],
    ['19e-37', 1n],
    ['1e-400', 0n],
  ])('reads %s exactly, to the 36th decimal', (text, usdE36) => {
    expect(parseUsdE36(text)).toBe(usdE36);
  });

  it.each([
    '',
    '.5',
    '5.',
    '01',
    '+1',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '1e9999',
    ' 1',
    '1_000',
    '1n',
    '1e999',
    '1.1e18',
    '-1e19',
  ])('does not take %j for a number', (text) => {
    expect(parseUsdE36(text)).toBeUndefined();
  });

  it('reads back what decimalText writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 54n), max: 10n ** 54n }), (usdE36) => {
        expect(parseUsdE36(formatUsd(usdE36))).toBe(usdE36);
      }),
      { seed },
    );
  });
});

describe('isPlausibleUsd', () => {
  it.each<[string, boolean]>([
    ['1e-18', true],
    ['1e18', true],
    ['9e-19', false],
  ])('%s: %s', (text, isPlausible) => {
    expect(isPlausibleUsd(parseUsdE36(text) ?? 0n)).toBe(isPlausible);
  });
});

describe('decimalText', () => {
  it.each<[bigint, number, string]>([
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [1_500_000n, 6, '1.5'],
    [1_000_000n, 6, '1'],
    [100n, 0, '100'],
    [-1_500n, 3, '-1.5'],
  ])('writes %d with %d decimals as %s', (units, decimals, text) => {
    expect(decimalText(units, decimals)).toBe(text);
  });
});

describe('isDecimalAtLeast', () => {
  it.each<[string, string, boolean]>([
    ['9.5', '10.2', false],
    ['10', '9.99', true],
    ['12.5', '12.49', true],
    ['12', '12.5', false],
    ['12.5', '12', true],
    ['0.000001', '0.000001', true],
  ])('%s is at least %s: %s', (a, b, isAtLeast) => {
    expect(isDecimalAtLeast(a, b)).toBe(isAtLeast);
  });

  it('orders texts as the numbers they stand for', () => {
    const units = fc.bigInt({ min: 0n, max: 10n ** 20n });
    const decimals = fc.integer({ min: 0, max: 36 });
    fc.assert(
      fc.property(units, decimals, units, decimals, (a, decimalsOfA, b, decimalsOfB) => {
        const isAtLeast = a * 10n ** BigInt(decimalsOfB) >= b * 10n ** BigInt(decimalsOfA);
        expect(isDecimalAtLeast(decimalText(a, decimalsOfA), decimalText(b, decimalsOfB))).toBe(isAtLeast);
      }),
      { seed, numRuns: 1_000 },
    );
  });
});

describe('toUsdE36', () => {
  it('scales an answer of any number of decimals up to 36', () => {
    expect(toUsdE36(241_207_000_000n, 8)).toBe(parseUsdE36('2412.07'));
    expect(toUsdE36(7n, 36)).toBe(7n);
    expect(toUsdE36(7n, 0)).toBe(7n * E36);
  });
});
