import fc from 'fast-check';
import { parseUnits } from 'viem';
import { doubleAtLeast } from './double-at-least';

const seed = Number(process.env['TEST_SEED']);
/** Random charges up to 2^192; every order of magnitude is equally likely. */
const anyUnits = fc.integer({ min: 0, max: 57 }).chain((digits) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) }));
const anyDecimals = fc.integer({ min: 0, max: 36 });

/** What existing SDKs approve (BigInt of 4.x; 3.x prints the same number). */
const approvedByCeil = (fee: number, decimals: number) => BigInt(Math.ceil(fee * 10 ** decimals));

const before = (value: number) => {
  const bits = new BigUint64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) - 1n;
  return new Float64Array(bits.buffer)[0] as number;
};

describe('doubleAtLeast', () => {
  it('covers the exact amount when a client multiplies and rounds up, for 0 to 36 decimals', () => {
    fc.assert(
      fc.property(anyUnits, anyDecimals, (units, decimals) => {
        expect(approvedByCeil(doubleAtLeast(units, decimals), decimals)).toBeGreaterThanOrEqual(units);
      }),
      { seed, numRuns: 5_000 },
    );
  });

  it('covers it when a client parses the printed digits', () => {
    fc.assert(
      fc.property(anyUnits, anyDecimals, (units, decimals) => {
        const text = doubleAtLeast(units, decimals).toString();
        fc.pre(!text.includes('e'));
        expect(parseUnits(text, Math.max(decimals, 6))).toBeGreaterThanOrEqual(
          units * 10n ** BigInt(Math.max(decimals, 6) - decimals),
        );
      }),
      { seed, numRuns: 5_000 },
    );
  });

  it('prints no exponent below 1e21 whole tokens, and nothing below 0.000001', () => {
    fc.assert(
      fc.property(anyUnits, anyDecimals, (units, decimals) => {
        const fee = doubleAtLeast(units, decimals);
        expect(fee).toBeGreaterThanOrEqual(1e-6);
        expect(fee.toString().includes('e')).toBe(fee >= 1e21);
      }),
      { seed, numRuns: 5_000 },
    );
  });

  it('is the smallest such number: the one before fails one reading, or is below 0.000001', () => {
    fc.assert(
      fc.property(anyUnits, anyDecimals, (units, decimals) => {
        const fee = doubleAtLeast(units, decimals);
        fc.pre(fee > 1e-6 && fee < 1e21);
        const smaller = before(fee);
        const [whole = '', fraction = ''] = smaller.toString().split('.');
        const printed = smaller < 1e-6 ? 0n : BigInt(whole + fraction);
        const coversPrinted = printed * 10n ** BigInt(decimals) >= units * 10n ** BigInt(fraction.length);
        expect(coversPrinted && approvedByCeil(smaller, decimals) >= units).toBe(false);
      }),
      { seed, numRuns: 5_000 },
    );
  });

  it('prints no more decimals than the token has, so that strict parsers take it', () => {
    fc.assert(
      fc.property(anyUnits, anyDecimals, (units, decimals) => {
        const fee = doubleAtLeast(units, decimals);
        fc.pre(fee > 1e-6 && fee < 1e21);
        expect(fee.toString().split('.')[1]?.length ?? 0).toBeLessThanOrEqual(decimals);
      }),
      { seed, numRuns: 5_000 },
    );
  });

  it.each<[bigint, number, number]>([
    [81_500n, 6, 0.0815],
    [252_716_379_214_385_413n, 18, 0.25271637921438544],
    [1n, 18, 1e-6],
    [1n, 0, 1],
    [10n ** 21n, 18, 1_000],
  ])('%d units of %d decimals are %d', (units, decimals, fee) => {
    expect(doubleAtLeast(units, decimals)).toBe(fee);
  });

  it('is a million and a bit for a million tokens of 18 decimals: 1e24 is no double, the next lower one is less', () => {
    expect(approvedByCeil(1_000_000, 18)).toBeLessThan(10n ** 24n);
    expect(doubleAtLeast(10n ** 24n, 18)).toBe(1_000_000.0000000001);
  });
});
