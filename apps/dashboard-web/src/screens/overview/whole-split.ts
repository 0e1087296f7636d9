import type { Schemas } from '../../api/queries';
import { lessMoney, moneyOf, type Money, type MoneySum } from '../../format/money';
import type { Part } from './part-name';

type Usage = Pick<Schemas['UsageView'], 'granted' | 'settled' | 'reverted'> & Money;

/** Numbers of a row. Those of a rest are below zero where the rows before it count operations more than once. */
export interface Counted extends MoneySum {
  readonly granted: number;
  readonly settled: number;
  readonly reverted: number;
}

/** The dashboard says the dearest parts only. */
const MOST_PARTS = 100;

/** All rows together. */
export function sumOf(rows: readonly Usage[]): Counted {
  const count = (key: 'granted' | 'settled' | 'reverted') => rows.reduce((sum, row) => sum + row[key], 0);
  return { granted: count('granted'), settled: count('settled'), reverted: count('reverted'), ...moneyOf(rows) };
}

/** What the parts leave of the whole; undefined where they leave nothing. */
export function restOf(parts: readonly Usage[], whole: Counted): Counted | undefined {
  const sum = sumOf(parts);
  const rest = {
    granted: whole.granted - sum.granted,
    settled: whole.settled - sum.settled,
    reverted: whole.reverted - sum.reverted,
    ...lessMoney(whole, sum),
  };
  return Object.values(rest).every((value) => Number(value) === 0) ? undefined : rest;
}

/** What a rest is, by what the usage is split. */
export function restName(part: Part, parts: readonly unknown[]): string {
  const isCut = parts.length >= MOST_PARTS;
  switch (part) {
    case 'policy':
      return isCut ? 'Without a policy, or of other policies' : 'Without a policy';
    case 'sender':
      return 'Other accounts';
    case 'key':
      return isCut ? 'By the main key, by other keys, or not recorded' : 'By the main key, or not recorded';
    case 'token':
      return isCut ? 'Paid in no token, in another, or not recorded' : 'Paid in no token, or not recorded';
    case 'contract':
    case 'method':
      return isCut
        ? 'Other calls, less what counts in several rows'
        : 'Calls not known, less what counts in several rows';
  }
}
