import { tokenListingBuilder } from '@paymaster/domain/testing';
import fc from 'fast-check';
import { exchangeRate } from '../usd/exchange-rate';
import { offerQuote } from './offer-quote';
import { presentFeeQuote } from './present-fee-quote';
import { quoteToken } from './quote-token';

const seed = Number(process.env['TEST_SEED']);
const MAX_UINT192 = 2n ** 192n - 1n;

/** A fraction of two integers that are not negative. All expected values below are computed with such fractions. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

const roundUp = ({ top, bottom }: Fraction): bigint => top / bottom + (top % bottom === 0n ? 0n : 1n);
const isAtLeast = (a: Fraction, b: Fraction): boolean => a.top * b.bottom >= b.top * a.bottom;
const whole = (value: bigint): Fraction => ({ top: value, bottom: 1n });

/** The amount that a client reads if it parses the digits. A number that prints with an exponent is an integer. */
function printedFraction(value: number): Fraction {
  if (value >= 1e21) return whole(BigInt(value));
  const [before = '', after = ''] = value.toString().split('.');
  return { top: BigInt(before + after), bottom: 10n ** BigInt(after.length) };
}

/** The amount that a client reads if it multiplies and rounds up. */
const approvedFor = (value: number, decimals: number): bigint => BigInt(Math.ceil(value * 10 ** decimals));

function doubleAfter(value: number): number {
  const bits = new BigUint64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) + 1n;
  return new Float64Array(bits.buffer)[0] as number;
}

/** The first double, from a little below `units / 10^decimals` on, that covers it for both kinds of clients. */
function fee(units: bigint, decimals: number): number {
  const exact = { top: units, bottom: 10n ** BigInt(decimals) };
  let candidate = Math.max(1e-6, Number(`${units}e-${decimals}`) * (1 - 1e-15));
  while (!isAtLeast(printedFraction(candidate), exact) || approvedFor(candidate, decimals) < units)
    candidate = doubleAfter(candidate);
  return candidate;
}

interface Priced {
  readonly decimals: number;
  readonly tokenUsdE36: bigint;
  readonly nativeUsdE36: bigint;
  readonly maxCostWei: bigint;
  readonly premiumMillionths: number;
}

/** The numbers of a quote from their definitions; undefined where they do not fit 192 bits. */
function straightforward({ decimals, tokenUsdE36, nativeUsdE36, maxCostWei, premiumMillionths }: Priced) {
  const unit = 10n ** BigInt(decimals);
  const rate = roundUp({ top: unit * nativeUsdE36, bottom: tokenUsdE36 });
  const withPremium = { top: rate * BigInt(1_000_000 + premiumMillionths), bottom: 1_000_000n };
  const exactCharge = roundUp({ top: maxCostWei * withPremium.top, bottom: 10n ** 18n * withPremium.bottom });
  if (rate > MAX_UINT192 || exactCharge > MAX_UINT192) return undefined;
  const charge = exactCharge === 0n ? 1n : exactCharge;
  const maxGasFee = fee(charge, decimals);
  const ceilingBaseUnits = approvedFor(maxGasFee, decimals);
  const microUsd = roundUp({ top: ceilingBaseUnits * tokenUsdE36 * 10n ** 6n, bottom: unit * 10n ** 36n });
  return { rate, charge, maxGasFee, ceilingBaseUnits, maxGasFeeUSD: fee(microUsd, 6) };
}

function quoted({ decimals, maxCostWei, premiumMillionths, ...prices }: Priced) {
  const rate = exchangeRate({ tokenDecimals: decimals, ...prices });
  if (rate === undefined) return undefined;
  const token = { ...tokenListingBuilder().build(), decimals, premiumMillionths };
  try {
    const quote = offerQuote(quoteToken({ token, rate: { exchangeRate: rate, ...prices }, maxCostWei }));
    const { maxGasFee, maxGasFeeUSD } = presentFeeQuote(quote, { validUntilSeconds: 1 });
    const { maxChargeBaseUnits: charge, ceilingBaseUnits } = quote;
    return { rate, charge, maxGasFee, ceilingBaseUnits, maxGasFeeUSD };
  } catch {
    return undefined;
  }
}

/** A random price from the lowest to the highest; every order of magnitude is equally likely. */
const anyPrice = fc
  .integer({ min: 18, max: 53 })
  .chain((digits) => fc.bigInt({ min: 10n ** BigInt(digits), max: 10n ** BigInt(digits + 1) }));
const anyCost = fc.integer({ min: 0, max: 24 }).chain((digits) => fc.bigInt({ min: 0n, max: 10n ** BigInt(digits) }));

describe('the numbers of a quote', () => {
  it('are those of the definitions, to the last bit, for 0 to 36 decimals and prices of any size', () => {
    const inputs = fc.record<Priced>({
      decimals: fc.integer({ min: 0, max: 36 }),
      tokenUsdE36: anyPrice,
      nativeUsdE36: anyPrice,
      maxCostWei: anyCost,
      premiumMillionths: fc.integer({ min: 0, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(inputs, (input) => expect(quoted(input)).toEqual(straightforward(input))),
      { seed, numRuns: 5_000 },
    );
  });
});
