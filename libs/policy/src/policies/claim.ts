import type { Address, LimitMeasure, TraceLine } from '@paymaster/domain';

/** What a budget counts; the ledger's words. */
export type ClaimUnit = 'wei' | 'microUsd' | 'count';

/**
 * What one operation asks of one budget, in the shape that the ledger takes. The key names paymaster, policy, limit,
 * subject and window: the same key always means the same budget.
 */
export interface Claim {
  readonly key: string;
  readonly live: boolean;
  readonly unit: ClaimUnit;
  /** The most the operation can take. */
  readonly amount: bigint;
  readonly limit: bigint;
  /** Of the limit, where several paymasters share it: their policy versions cannot be compared. */
  readonly version?: number;
  /** For `microUsd`. */
  readonly microUsdPerNative?: bigint;
  /** End of the window, unix seconds; undefined for none. */
  readonly endsAtSeconds?: number;
  /** What a refusal says. */
  readonly refusal: { readonly rule: string; readonly reason: 'SPENDING_LIMIT_REACHED'; readonly message: string };
}

/** What an operation costs, as limits measure it. */
export interface ClaimCosts {
  /** The precharge: the most that the operation can cost; wei. */
  readonly prechargeWei: bigint;
  /** Of 1e18 wei, in 1e-6 USD; undefined where no price is known. */
  readonly microUsdPerNative?: bigint;
}

export const UNIT_OF: Readonly<Record<LimitMeasure, ClaimUnit>> = { WEI: 'wei', USD: 'microUsd', COUNT: 'count' };

const WEI_PER_NATIVE = 10n ** 18n;

/** What an operation takes of a limit, rounded up; undefined when it is counted in USD and no price is known. */
export function amountIn(unit: ClaimUnit, { prechargeWei, microUsdPerNative }: ClaimCosts): bigint | undefined {
  if (unit === 'count') return 1n;
  if (unit === 'wei') return prechargeWei;
  if (microUsdPerNative === undefined) return undefined;
  return (prechargeWei * microUsdPerNative + WEI_PER_NATIVE - 1n) / WEI_PER_NATIVE;
}

/** The subject of a limit of the whole paymaster; no address looks like it. */
export const WHOLE_PAYMASTER = 'all';

/** Parts never hold the separator: ids are checked where they enter, the rest is ours. */
export function budgetKey(parts: readonly (string | number)[]): string {
  return parts.join(':');
}

/** How a limit names whom it counts. */
export function subjectOf(perSender: boolean, sender: Address): string {
  return perSender ? sender.toLowerCase() : WHOLE_PAYMASTER;
}

/** The trace's line on a claim. */
export function claimLine(claim: Claim, outcome: TraceLine['outcome']): TraceLine {
  return { rule: claim.refusal.rule, input: `${claim.amount} ${claim.unit} of ${claim.limit}`, outcome };
}
