import { formatUnits, parseUnits } from 'viem';
import type { Schemas } from '../../api/queries';
import type { Part } from './part-name';

type Usage = Pick<Schemas['UsageView'], 'granted' | 'settled' | 'reverted' | 'spentWei' | 'spentUsd'>;

/** Numbers of a row. Those of a rest are below zero where the rows before it count operations more than once. */
export interface Counted {
  readonly granted: number;
  readonly settled: number;
  readonly reverted: number;
  readonly spentWei: bigint;
  /** Decimal text; null where no price is known. */
  readonly spentUsd: string | null;
}

const USD_DECIMALS = 6;
/** The dashboard says the dearest parts only. */
const MOST_PARTS = 100;

/** All rows together. */
export function sumOf(rows: readonly Usage[]): Counted {
  const count = (key: 'granted' | 'settled' | 'reverted') => rows.reduce((sum, row) => sum + row[key], 0);
  const usd = rows.map(({ spentUsd }) => spentUsd ?? null);
  return {
    ...{ granted: count('granted'), settled: count('settled'), reverted: count('reverted') },
    spentWei: rows.reduce((sum, { spentWei }) => sum + BigInt(spentWei), 0n),
    spentUsd: usd.includes(null)
      ? null
      : usdText(usd.reduce((sum, each) => sum + parseUnits(each ?? '0', USD_DECIMALS), 0n)),
  };
}

/** What the parts leave of the whole; undefined where they leave nothing. */
export function restOf(parts: readonly Usage[], whole: Counted): Counted | undefined {
  const sum = sumOf(parts);
  const [all, some] = [whole.spentUsd, sum.spentUsd].map((usd) => usd && parseUnits(usd, USD_DECIMALS));
  const rest = {
    granted: whole.granted - sum.granted,
    settled: whole.settled - sum.settled,
    reverted: whole.reverted - sum.reverted,
    spentWei: whole.spentWei - sum.spentWei,
  };
  if (!rest.granted && !rest.settled && !rest.reverted && rest.spentWei === 0n) return undefined;
  return { ...rest, spentUsd: all == null || some == null || all === '' || some === '' ? null : usdText(all - some) };
}

/** What a rest is, by what the usage is split. */
export function restName(part: Part, parts: readonly unknown[]): string {
  const isCut = parts.length >= MOST_PARTS;
  switch (part) {
    case 'policy':
      return isCut ? 'Without a policy, or of other policies' : 'Without a policy';
    case 'sender':
      return 'Other accounts';
    case 'contract':
    case 'method':
      return isCut
        ? 'Other calls, less what counts in several rows'
        : 'Calls not known, less what counts in several rows';
  }
}

const usdText = (micro: bigint): string => formatUnits(micro, USD_DECIMALS);
