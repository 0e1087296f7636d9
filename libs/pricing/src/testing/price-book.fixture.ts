import type { PriceReference } from '@paymaster/domain';
import { tokenListingBuilder } from '@paymaster/domain/testing';
import type { PriceFault } from '../sources/price-unavailable.error';
import { apiReference, fakeClock, ScriptedPriceSource } from '../testing';
import type { PricingFault } from '../book/fault-reporter';
import { PriceBook, type PriceBookOptions } from '../book/price-book';

export const MAX_AGE_SECONDS = 60;
export const ether = apiReference('ethereum');
/** A token with this price. */
export const listed = (price: PriceReference, decimals = 6) =>
  tokenListingBuilder().with('price', price).with('decimals', decimals).build();
export const usdc = listed(apiReference('usd-coin'));
export const dai = listed(apiReference('dai'), 18);

/** A book of two tokens over a scripted source and a clock that the test sets, with helpers for tests. */
export function bookOf(options: Partial<PriceBookOptions> = {}) {
  const time = fakeClock();
  const faults: PricingFault[] = [];
  const source = new ScriptedPriceSource().set(ether, '2500').set(usdc.price, '1').set(dai.price, '1');
  const book = new PriceBook({
    native: ether,
    tokens: [usdc, dai],
    source,
    sequencer: null,
    maxAgeSeconds: MAX_AGE_SECONDS,
    maxJumpMillionths: 200_000,
    clock: time.clock,
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  /** Refreshes once. @returns the fault or the rate of each token */
  const next = async (tokens = [usdc, dai], afterSeconds = 15) => {
    time.advanceSeconds(afterSeconds);
    await book.refresh();
    return tokens.map((token) => now(token));
  };
  const now = (token = usdc): bigint | PriceFault => {
    try {
      return book.rateOf(token).exchangeRate;
    } catch (error) {
      return (error as { fault: PriceFault }).fault;
    }
  };
  return { time, faults, source, book, next, now };
}

export const USDC_RATE = 2_500_000_000n;
export const DAI_RATE = 2_500n * 10n ** 18n;
