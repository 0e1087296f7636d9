import { formatUnits } from 'viem';
import { groupedDecimal } from './amount';

interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

const COIN_DECIMALS = 18n;
/** Digits of a rate behind the point; fewer where the token has fewer. */
const RATE_DECIMALS = 6;

/** Base units of a token as people read them, every digit: `8.928576 USDx`. */
export function tokenAmount(amount: string, { symbol, decimals }: Token): string {
  return `${groupedDecimal(formatUnits(BigInt(amount), decimals))} ${symbol}`;
}

/** What was paid in a token for each whole coin that the wallet paid, cut off; undefined where it paid nothing. */
export function tokenRate(amount: string, wei: string, { symbol, decimals }: Token): string | undefined {
  if (BigInt(wei) === 0n) return undefined;
  const rate = formatUnits((BigInt(amount) * 10n ** COIN_DECIMALS) / BigInt(wei), decimals);
  const [whole = '0', fraction = ''] = rate.split('.');
  const kept = fraction.slice(0, RATE_DECIMALS).replace(/0+$/, '');
  return `${groupedDecimal(kept ? `${whole}.${kept}` : whole)} ${symbol}`;
}
