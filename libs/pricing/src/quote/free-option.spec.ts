import { faker } from '@faker-js/faker';
import { tokenListingBuilder } from '@paymaster/domain/testing';
import { ETH_USD_5_MINUTE_CLOSES } from '../testing';
import { exchangeRate } from '../usd/exchange-rate';
import { parseUsdE36 } from '../usd/usd-price';
import { quoteToken } from './quote-token';

/**
 * A quote is a free option: its holder may use it until it expires, or not. This study of threat 11 takes a sender who
 * holds quotes of a dollar token on a day of violent price moves, and who pays each operation with the best live quote.
 */
const DEFAULT_PREMIUM_MILLIONTHS = 100_000;
const MAX_COST_WEI = 3n * 10n ** 15n;
const TOKEN_USD_E36 = 10n ** 36n;
const CLOSES = ETH_USD_5_MINUTE_CLOSES.map((close) => parseUsdE36(close) as bigint);

/** Base units that a quote at this price asks for. */
function charge(nativeUsdE36: bigint, premiumMillionths: number): bigint {
  const token = tokenListingBuilder().with('premiumMillionths', premiumMillionths).build();
  const prices = { tokenUsdE36: TOKEN_USD_E36, nativeUsdE36 };
  const rate = { exchangeRate: exchangeRate({ tokenDecimals: 6, ...prices }) as bigint, ...prices };
  return quoteToken({ token, rate, maxCostWei: MAX_COST_WEI }).maxChargeBaseUnits;
}

/** What the sender pays and what the wallet spends, at every step of the path; base units. */
function study(path: readonly bigint[], options: { liveSteps: number; premiumMillionths: number }) {
  const quotes = path.map((price) => charge(price, options.premiumMillionths));
  return path.map((price, step) => {
    const live = quotes.slice(Math.max(0, step - options.liveSteps), step + 1);
    return { paid: live.reduce((best, quote) => (quote < best ? quote : best)), spent: charge(price, 0) };
  });
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
const millionthsLost = ({ paid, spent }: { paid: bigint; spent: bigint }) => Number((spent * 1_000_000n) / paid) - 1e6;

/** The premium at which hoarding breaks even: over the whole day, and for the worst moment alone; per cent. */
function breakEvenPercent(path: readonly bigint[], liveSteps: number) {
  const steps = study(path, { liveSteps, premiumMillionths: 0 });
  const day = { paid: sum(steps.map(({ paid }) => paid)), spent: sum(steps.map(({ spent }) => spent)) };
  return { wholeDay: millionthsLost(day) / 1e4, worstMoment: Math.max(...steps.map(millionthsLost)) / 1e4 };
}

/**
 * The real closes, with prices for each minute between them. The minutes are GENERATED as a Brownian bridge with the
 * volatility of the day, because we have no minute data of the day.
 */
function minutePath(): bigint[] {
  const closes = ETH_USD_5_MINUTE_CLOSES.map(Number);
  const moves = closes.slice(1).map((close, index) => Math.log(close / (closes[index] as number)));
  const perMinute = Math.sqrt(moves.reduce((total, move) => total + move ** 2, 0) / moves.length / 5);
  return closes.slice(1).flatMap((close, index) => {
    let price = closes[index] as number;
    return [5, 4, 3, 2, 1].map((left) => {
      const drift = Math.log(close / price) / left;
      price *= Math.exp(drift + perMinute * Math.sqrt((left - 1) / left) * normal());
      return parseUsdE36(price.toFixed(6)) as bigint;
    });
  });
}

function normal(): number {
  const uniform = () => faker.number.float({ min: 1e-12, max: 1 });
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

describe('a sender who hoards quotes on a violent day (real closes, every 5 minutes)', () => {
  it('pays more than the wallet spends with the default premium, at every single moment', () => {
    const steps = study(CLOSES, { liveSteps: 2, premiumMillionths: DEFAULT_PREMIUM_MILLIONTHS });
    expect(steps).toHaveLength(288);
    expect(steps.filter(({ paid, spent }) => paid < spent)).toEqual([]);
  });

  it('still does when prices are as old as another step: 15 minutes in all', () => {
    const steps = study(CLOSES, { liveSteps: 3, premiumMillionths: DEFAULT_PREMIUM_MILLIONTHS });
    expect(steps.filter(({ paid, spent }) => paid < spent)).toEqual([]);
  });

  it.each([
    { minutes: 10, wholeDay: 0.22, worstMoment: 4.61 },
    { minutes: 15, wholeDay: 0.3, worstMoment: 7.12 },
  ])(
    'with quotes of $minutes minutes, breaks even over the day at a premium of $wholeDay %, at the worst moment alone at $worstMoment %',
    ({ minutes, wholeDay, worstMoment }) => {
      const broken = breakEvenPercent(CLOSES, minutes / 5);
      expect(broken.wholeDay).toBeCloseTo(wholeDay, 2);
      expect(broken.worstMoment).toBeCloseTo(worstMoment, 2);
    },
  );

  it('gains by it without a premium: the study can fail', () => {
    const steps = study(CLOSES, { liveSteps: 2, premiumMillionths: 0 });
    expect(sum(steps.map(({ paid }) => paid))).toBeLessThan(sum(steps.map(({ spent }) => spent)));
  });
});

describe('the same with generated minutes between the real closes', () => {
  it('pays more than the wallet spends, at every single moment', () => {
    const path = minutePath();
    expect(path).toHaveLength(287 * 5);
    const steps = study(path, { liveSteps: 10, premiumMillionths: DEFAULT_PREMIUM_MILLIONTHS });
    expect(steps.filter(({ paid, spent }) => paid < spent)).toEqual([]);
  });

  it('breaks even well below the default premium', () => {
    const { wholeDay, worstMoment } = breakEvenPercent(minutePath(), 10);
    expect(wholeDay).toBeLessThan(1);
    expect(worstMoment).toBeLessThan(9);
  });
});
