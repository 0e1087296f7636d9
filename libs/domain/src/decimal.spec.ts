import { decimalTextOf, numberIfExact, shortestDecimal, toUnits } from './decimal';

describe('decimalTextOf', () => {
  it.each<[unknown, string]>([
    [0.1, '0.1'],
    [10, '10'],
    [1e-7, '0.0000001'],
    [1.5e-7, '0.00000015'],
    [1e-18, '0.000000000000000001'],
    [1e21, '1000000000000000000000'],
    [1.25e22, '12500000000000000000000'],
    [0.123456789012345, '0.123456789012345'],
    ['0.123456789012345678', '0.123456789012345678'],
    ['007', '007'],
  ])('reads %p as it is written', (value, text) => {
    expect(decimalTextOf(value)).toBe(text);
  });

  it.each<[string, unknown]>([
    ['a number that may have lost digits', 0.1234567890123456],
    ['an integer beyond what doubles hold', 2 ** 53 + 1],
    ['a sum of floats', 0.1 + 0.2],
    ['a negative number', -1],
    ['negative zero as text', '-0'],
    ['infinity', Infinity],
    ['NaN', NaN],
    ['an exponent in text', '1e18'],
    ['hex', '0x10'],
    ['no digits before the point', '.5'],
    ['no digits behind the point', '5.'],
    ['a comma', '1,5'],
    ['space', ' 1'],
    ['a line break', '1\n'],
    ['nothing', ''],
    ['other digits', '１'],
    ['a megabyte of digits', '1'.repeat(1_000_000)],
    ['null', null],
    ['true', true],
    ['a list', [1]],
    ['a huge number', 1e300],
  ])('does not read %s', (_title, value) => {
    expect(decimalTextOf(value)).toBeUndefined();
  });
});

describe('toUnits', () => {
  it.each<[string, number, bigint]>([
    ['0.1', 18, 100_000_000_000_000_000n],
    ['0.000000000000000001', 18, 1n],
    ['1', 18, 10n ** 18n],
    ['12.5', 6, 12_500_000n],
    ['7', 0, 7n],
    ['007.50', 2, 750n],
    ['123456789012345678.123456789012345678', 18, 123456789012345678123456789012345678n],
  ])('makes %s with %i decimals %s', (text, decimals, units) => {
    expect(toUnits(text, decimals)).toBe(units);
  });

  it('refuses what is finer than the unit, rather than to round it', () => {
    expect(toUnits('0.0000000000000000001', 18)).toBeUndefined();
    expect(toUnits('1.0', 0)).toBeUndefined();
  });
});

describe('shortestDecimal', () => {
  it.each([
    ['007.50', '7.5'],
    ['1.000', '1'],
    ['0.0', '0'],
    ['100', '100'],
  ])('makes %s %s', (text, shortest) => {
    expect(shortestDecimal(text)).toBe(shortest);
  });
});

describe('numberIfExact', () => {
  it('shows a number where it keeps all digits, else text', () => {
    expect(numberIfExact('0.5')).toBe(0.5);
    expect(numberIfExact('1000000000000000000000')).toBe(1e21);
    expect(numberIfExact('0.123456789012345678')).toBe('0.123456789012345678');
  });
});
