import { formatUnits, parseUnits } from 'viem';
import { grouped } from './amount';

const PRICE = /^\d{1,30}(\.\d{1,18})?$/;
const PRICE_DECIMALS = 18;
const COIN_DECIMALS = 18;
const SHOWN_DIGITS = 2;
/** A millionth of a USD, in the decimals of both factors. */
const SMALLEST = 10n ** BigInt(COIN_DECIMALS + PRICE_DECIMALS - 6);

/**
 * What wei are worth at a price in USD for a whole coin: `3,200.50 USD`, `0.0012 USD`, `below 0.000001 USD`. Digits that are left out are cut
 * off. Undefined where no price is known, and for nothing at all.
 */
export function usdOf(wei: string | bigint, price: string | null | undefined): string | undefined {
  if (price == null || !PRICE.test(price)) return undefined;
  const worth = BigInt(wei) * parseUnits(price, PRICE_DECIMALS);
  if (worth === 0n) return undefined;
  const usd = formatUnits(worth, COIN_DECIMALS + PRICE_DECIMALS);
  return worth > 0n && worth < SMALLEST ? 'below 0.000001 USD' : `${shortUsd(usd)} USD`;
}

/** A decimal number of USD, cut off where its digits say nothing more: `27.80`, `1,283.74`, `250`, `0.0012`. */
export function shortUsd(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  const leadingZeros = /^-?0$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const kept = fraction.slice(0, leadingZeros + SHOWN_DIGITS).replace(/0+$/, '');
  const cents = leadingZeros === 0 && kept ? kept.padEnd(SHOWN_DIGITS, '0') : kept;
  return `${grouped(whole)}${cents && `.${cents}`}`;
}
