import { formatUnits, parseUnits } from 'viem';
import { grouped } from './amount';
import { shortUsd } from './usd';

/** What settled operations cost and brought in; USD of their own time, as decimal text. */
export interface Money {
  readonly spentWei: string | bigint;
  readonly spentUsd: string;
  /** Operations that are not in `spentUsd`. */
  readonly unpriced: number;
  readonly receivedUsd: string;
  /** Operations that are not in `receivedUsd`. */
  readonly unrecorded: number;
}

export interface MoneySum extends Money {
  readonly spentWei: bigint;
  /** Gross less received; below zero where tokens brought more. */
  readonly netUsd: string;
}

/** As many digits as the dashboard keeps. */
const USD_DECIMALS = 12;

/** All rows together. */
export function moneyOf(rows: readonly Money[]): MoneySum {
  const count = (key: 'unpriced' | 'unrecorded') => rows.reduce((sum, row) => sum + row[key], 0);
  const usd = (key: 'spentUsd' | 'receivedUsd') =>
    rows.reduce((sum, row) => sum + parseUnits(row[key], USD_DECIMALS), 0n);
  const [spent, received] = [usd('spentUsd'), usd('receivedUsd')];
  return {
    spentWei: rows.reduce((sum, { spentWei }) => sum + BigInt(spentWei), 0n),
    ...{ spentUsd: usdText(spent), receivedUsd: usdText(received), netUsd: usdText(spent - received) },
    ...{ unpriced: count('unpriced'), unrecorded: count('unrecorded') },
  };
}

/** What some rows leave of a whole. */
export function lessMoney(whole: MoneySum, some: MoneySum): MoneySum {
  const usd = (key: 'spentUsd' | 'receivedUsd' | 'netUsd') =>
    usdText(parseUnits(whole[key], USD_DECIMALS) - parseUnits(some[key], USD_DECIMALS));
  return {
    ...{ spentWei: whole.spentWei - some.spentWei, spentUsd: usd('spentUsd'), receivedUsd: usd('receivedUsd') },
    ...{ netUsd: usd('netUsd'), unpriced: whole.unpriced - some.unpriced },
    unrecorded: whole.unrecorded - some.unrecorded,
  };
}

/** What wallets paid for gas, in USD of that time: `11.98 USD`, `8.98 USD, not recorded for 1`, `not recorded for 3`. */
export const grossText = ({ spentUsd, unpriced }: Money): string => usdOrCount(spentUsd, unpriced);

/** What users paid in tokens, in USD of that time, in the same form. */
export const receivedText = ({ receivedUsd, unrecorded }: Money): string => usdOrCount(receivedUsd, unrecorded);

/** Gross less received of what is recorded. */
export function netText({ netUsd, spentUsd, receivedUsd, unpriced, unrecorded }: MoneySum): string {
  const isUnknown = isZero(spentUsd) && isZero(receivedUsd) && unpriced + unrecorded > 0;
  return isUnknown ? 'not recorded' : `${shortUsd(netUsd)} USD`;
}

function usdOrCount(usd: string, missing: number): string {
  if (missing <= 0) return `${shortUsd(usd)} USD`;
  const count = `not recorded for ${grouped(missing)}`;
  return isZero(usd) ? count : `${shortUsd(usd)} USD, ${count}`;
}

const isZero = (usd: string): boolean => parseUnits(usd, USD_DECIMALS) === 0n;
const usdText = (units: bigint): string => formatUnits(units, USD_DECIMALS);
