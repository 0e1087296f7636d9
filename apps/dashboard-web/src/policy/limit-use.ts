import { formatUnits } from 'viem';
import type { Schemas } from '../api/queries';
import { grouped, shortAmount } from '../format/amount';
import { localTime } from '../format/time';
import { shortUsd } from '../format/usd';

type Unit = Schemas['LimitUseView']['unit'];

const MICRO_DECIMALS = 6;

/** What a limit counts, to read: `3`, `0.25 ETH`, `1.5 USD`. */
export function measuredAmount(unit: Unit, amount: string, symbol: string): string {
  switch (unit) {
    case 'wei':
      return shortAmount(amount, symbol);
    case 'microUsd':
      return `${shortUsd(formatUnits(BigInt(amount), MICRO_DECIMALS))} USD`;
    case 'count':
      return grouped(amount);
  }
}

/** `used 1 of 5, resets at 26 Nov 2026, 00:00:00`; what is not known yet is said too. */
export function useSentence({ unit, amount, used, resetsAt }: Schemas['LimitUseView'], symbol: string): string {
  const limit = measuredAmount(unit, amount, symbol);
  const said =
    used === null ? `at most ${limit} for each account` : `used ${measuredAmount(unit, used, symbol)} of ${limit}`;
  return `${said}, ${resetsAt === null ? 'never resets' : `resets at ${localTime(resetsAt)}`}`;
}

/** How much of a limit is used, in whole percent from 0 to 100. */
export function usedPercent(used: string, amount: string): number {
  const [part, whole] = [BigInt(used), BigInt(amount)];
  if (whole === 0n || part >= whole) return 100;
  return Number((part * 100n) / whole);
}
