import { formatUnits } from 'viem';
import { cut, groupedDecimal } from './amount';

export interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

const COIN_DECIMALS = 18n;
/** Behind the point; fewer where the token has fewer. */
const SHOWN_DIGITS = 6;

/** Base units of a token as a person reads them, what is left out cut off: `8.928576 USDx`. */
export function tokenAmount(amount: string, { symbol, decimals }: Token): string {
  return `${cut(formatUnits(BigInt(amount), decimals), SHOWN_DIGITS)} ${symbol}`;
}

/** Every digit. */
export function exactTokenAmount(amount: string, { symbol, decimals }: Token): string {
  return `${groupedDecimal(formatUnits(BigInt(amount), decimals))} ${symbol}`;
}

/** What was paid in a token for each whole coin that the wallet paid, cut off; undefined where it paid nothing. */
export function tokenRate(amount: string, wei: string, { symbol, decimals }: Token): string | undefined {
  if (BigInt(wei) === 0n) return undefined;
  const rate = formatUnits((BigInt(amount) * 10n ** COIN_DECIMALS) / BigInt(wei), decimals);
  return `${cut(rate, SHOWN_DIGITS)} ${symbol}`;
}
