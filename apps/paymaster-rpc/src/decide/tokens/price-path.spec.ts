import { ceilDiv, PREMIUM_DENOMINATOR } from '@paymaster/domain';
import { randomAddress, tokenListingBuilder } from '@paymaster/domain/testing';
import { ETH_USD_5_MINUTE_CLOSES } from '@paymaster/pricing/testing';
import { priceOperation } from './price-operation';
import { LiveQuotes } from '../../chains/quotes/live-quotes';
import { LiveRates } from '../../chains/quotes/live-rates';

const START = 1_755_842_400;
const STEP_SECONDS = 300;
/** The longest that a quote, and that a signature, of token mode may hold. */
const LONGEST_VALIDITY_SECONDS = 600;
const COST_WEI = 10n ** 15n;
const DOLLAR_DECIMALS = 6;

/** Dollars of 6 decimals per ether, in base units per 1e18 wei. */
const MARKET: readonly bigint[] = ETH_USD_5_MINUTE_CLOSES.map((close) => {
  const [whole = '0', fraction = ''] = close.split('.');
  return BigInt(whole + fraction.padEnd(DOLLAR_DECIMALS, '0'));
});
const rateAt = (step: number): bigint => MARKET[step] ?? 0n;
const timeAt = (step: number): number => START + step * STEP_SECONDS;

/** A signature or quote that a sender has in hand. */
interface Offer {
  readonly exchangeRate: bigint;
  readonly premiumMillionths: bigint;
  readonly validUntilSeconds: number;
}

/** How a sender behaves who never pays the current price while he has a cheaper price that is still valid. */
interface Outcome {
  /** How much more than the ether was worth at landing the receiver got, over the day; base units. */
  readonly gained: bigint;
  /** The worst single operation; millionths of what the ether was worth. */
  readonly worstMillionths: bigint;
}

function land(offers: readonly Offer[], step: number): bigint {
  const live = offers.filter(({ validUntilSeconds }) => validUntilSeconds >= timeAt(step));
  const charges = live.map(({ exchangeRate, premiumMillionths }) =>
    ceilDiv(COST_WEI * exchangeRate * premiumMillionths, PREMIUM_DENOMINATOR * 10n ** 18n),
  );
  return charges.reduce((a, b) => (a < b ? a : b));
}

function outcomeOf(chargeAt: (step: number) => bigint): Outcome {
  const results = MARKET.map((rate, step) => {
    const worth = ceilDiv(COST_WEI * rate, 10n ** 18n);
    const gained = chargeAt(step) - worth;
    return { gained, millionths: (gained * 1_000_000n) / worth };
  });
  return {
    gained: results.reduce((sum, { gained }) => sum + gained, 0n),
    worstMillionths: results.reduce((worst, { millionths }) => (millionths < worst ? millionths : worst), 10n ** 9n),
  };
}

/** Asks for a signature at every step, and lands the cheapest that is live at every step. */
function askAlways(input: { premiumMillionths: number; nonceOf: (step: number) => bigint }): Outcome {
  const token = tokenListingBuilder().with('premiumMillionths', input.premiumMillionths).build();
  const rates = new LiveRates();
  const who = { paymasterId: 'paymaster', paymaster: randomAddress(), sender: randomAddress() };
  const offers: Offer[] = [];
  return outcomeOf((step) => {
    const operation = { ...who, nonce: input.nonceOf(step) };
    const nowSeconds = timeAt(step);
    const rate = { exchangeRate: rateAt(step), tokenUsdE36: 1n, nativeUsdE36: 1n };
    const signed = priceOperation(rates.of(operation, nowSeconds), { token, rate, maxCostWei: COST_WEI });
    const validUntilSeconds = nowSeconds + LONGEST_VALIDITY_SECONDS;
    rates.remember({ key: { ...operation, token: token.address }, signed, validUntilSeconds, nowSeconds });
    offers.push({ ...signed, validUntilSeconds });
    return land(offers, step);
  });
}

/**
 * Takes a quote. If ether became dearer, has it signed in the quote's last second, and lands in the signature's last
 * second.
 */
function askLate({ premiumMillionths }: { premiumMillionths: number }): Outcome {
  const token = tokenListingBuilder().with('premiumMillionths', premiumMillionths).build();
  const steps = LONGEST_VALIDITY_SECONDS / STEP_SECONDS;
  const who = { paymasterId: 'paymaster', paymaster: randomAddress(), sender: randomAddress() };
  return outcomeOf((step) => {
    const [quotedAt, signedAt] = [Math.max(0, step - 2 * steps), Math.max(0, step - steps)];
    const [rates, quotes] = [new LiveRates(), new LiveQuotes()];
    const operation = { ...who, nonce: 1n };
    const key = { paymasterId: 'paymaster', sender: who.sender, nonce: 1n };
    const priceAt = (at: number) => {
      const rate = { exchangeRate: rateAt(at), tokenUsdE36: 1n, nativeUsdE36: 1n };
      const found = quotes.find(key, timeAt(at));
      const promised = found.state === 'live' ? found.quote.prices.get(token.address) : undefined;
      return priceOperation(rates.of(operation, timeAt(at)), { token, rate, promised, maxCostWei: COST_WEI });
    };
    const quote = priceAt(quotedAt);
    quotes.remember({
      ...key,
      prices: new Map([[token.address, { ...quote, ceilingBaseUnits: quote.maxChargeBaseUnits }]]),
      validUntilSeconds: timeAt(quotedAt) + LONGEST_VALIDITY_SECONDS,
    });
    const signed = { ...priceAt(signedAt), validUntilSeconds: timeAt(signedAt) + LONGEST_VALIDITY_SECONDS };
    return land([signed], step);
  });
}

describe('a violent day of ether, for a sender that always lands the cheapest price it has in hand', () => {
  const PREMIUM = 100_000;

  it('never lands below worth with a premium of 10 %, asking again for the same nonce', () => {
    const { gained, worstMillionths } = askAlways({ premiumMillionths: PREMIUM, nonceOf: () => 1n });
    expect(worstMillionths).toBeGreaterThanOrEqual(0n);
    expect(gained).toBeGreaterThan(0n);
  });

  it('never does so with a new nonce for every price either, although live rates do not link nonces', () => {
    const { worstMillionths } = askAlways({ premiumMillionths: PREMIUM, nonceOf: (step) => BigInt(step) });
    expect(worstMillionths).toBeGreaterThanOrEqual(0n);
  });

  it('never does so with a quote kept to its last second and a signature landed in its last second', () => {
    const { gained, worstMillionths } = askLate({ premiumMillionths: PREMIUM });
    expect(worstMillionths).toBeGreaterThanOrEqual(0n);
    expect(gained).toBeGreaterThan(0n);
  });

  it('gains more with new nonces than by asking again, so live rates have an effect', () => {
    const same = askAlways({ premiumMillionths: 0, nonceOf: () => 1n });
    const parallel = askAlways({ premiumMillionths: 0, nonceOf: (step) => BigInt(step) });
    expect(same.gained).toBeGreaterThan(parallel.gained);
  });

  it.each([
    ['3.6 %, asking again', () => askAlways({ premiumMillionths: 0, nonceOf: () => 1n }), -35_737n],
    ['4.4 %, nonces of its own', () => askAlways({ premiumMillionths: 0, nonceOf: (step) => BigInt(step) }), -44_108n],
    ['6.5 %, a quote kept to the end', () => askLate({ premiumMillionths: 0 }), -64_517n],
  ])('would pay up to %s, too little without a premium', (_title, play, worstMillionths) => {
    expect(play().worstMillionths).toBe(worstMillionths);
  });
});
