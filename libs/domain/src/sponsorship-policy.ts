import type { Address } from './hex';

/** What a limit counts over: one operation, one smart account, or the whole paymaster. */
export const LIMIT_SCOPES = ['OPERATION', 'USER', 'PAYMASTER'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** What a limit counts: wei of gas, USD (with up to 6 decimals), or operations. */
export const LIMIT_MEASURES = ['WEI', 'USD', 'COUNT'] as const;
export type LimitMeasure = (typeof LIMIT_MEASURES)[number];

/** When a native limit starts again: UTC calendar windows, weeks from Monday; LIFETIME never. */
export const LIMIT_CYCLES = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'LIFETIME'] as const;
export type LimitCycle = (typeof LIMIT_CYCLES)[number];

/** How an argument rule compares. */
export const ARGUMENT_OPERATORS = ['EQ', 'NEQ', 'LT', 'LTE', 'GT', 'GTE', 'IN', 'NOT_IN'] as const;
export type ArgumentOperator = (typeof ARGUMENT_OPERATORS)[number];

/** One limit of a `RULES` policy. */
export interface SpendingLimit {
  /** Stable within the policy while scope, measure and cycle stay the same: names the budget. */
  readonly id: string;
  readonly scope: LimitScope;
  readonly measure: LimitMeasure;
  /** Wei, operations, or micro-USD (1e-6 USD), by `measure`. */
  readonly amount: bigint;
  /** Ignored for scope OPERATION. */
  readonly cycle: LimitCycle;
}

/** A condition on one argument of calls to one method. */
export interface ArgumentRule {
  readonly contract: Address;
  /** Full signature, as in `mint(address,uint256)`. */
  readonly method: string;
  /** Position of the argument, from 0; its type must be static. */
  readonly index: number;
  readonly operator: ArgumentOperator;
  /** Compared as the argument's type: decimal or hex text for numbers, hex for addresses and bytes, `true`/`false`. */
  readonly values: readonly string[];
}

/** The native rules (docs/architecture/rules.md). Null means no such rule. */
export interface NativeRules {
  readonly startsAtSeconds: number | null;
  readonly endsAtSeconds: number | null;
  readonly allowedSenders: readonly Address[] | null;
  readonly deniedSenders: readonly Address[];
  readonly maxCallValueWei: bigint | null;
  readonly maxTotalValueWei: bigint | null;
  readonly arguments: readonly ArgumentRule[];
  readonly maxFeePercentOfBaseFee: number | null;
  readonly maxCallGasPercentOfEstimate: number | null;
  readonly eip7702Delegates: readonly Address[] | null;
  readonly accountFactories: readonly Address[] | null;
  readonly revertBreaker: RevertBreaker | null;
  readonly limits: readonly SpendingLimit[];
}

/** Stops sponsoring while too many of the recent operations reverted. */
export interface RevertBreaker {
  readonly maxRevertPercent: number;
  readonly minOperations: number;
  readonly windowMinutes: number;
}

/** `PAYMASTER_SA_LIMIT` as existing API users know it. */
export interface CycleLimit {
  /** PAYMASTER: over all operations; SMART_ACCOUNT: per sender. */
  readonly subject: 'PAYMASTER' | 'SMART_ACCOUNT';
  readonly measure: 'COUNT' | 'WEI';
  /** Operations or wei. */
  readonly threshold: bigint;
  /** Start of the first window, unix milliseconds; editing a limit moves it. */
  readonly startTimeMs: number;
  readonly durationMs: number;
}

interface PolicyBase {
  readonly policyId: string;
  readonly name: string;
}

/** One active policy of a paymaster, as the gateway gets it. */
export type SponsorshipPolicy = PolicyBase &
  (
    | { readonly type: 'PAYMASTER_SA_LIMIT'; readonly limit: CycleLimit }
    | { readonly type: 'WALLET_DEPLOYMENT' }
    | { readonly type: 'WEBHOOK'; readonly webhook: DecisionWebhook }
    /** Lower priorities first; equal ones in the order of the array. */
    | { readonly type: 'RULES'; readonly priority: number; readonly rules: NativeRules }
  );

/** Where a decision webhook is asked. Its signing secrets are derived, they never travel. */
export interface DecisionWebhook {
  readonly webhookId: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Versions of the signing secret in force, newest first; a request is signed with each. */
  readonly secretVersions: readonly number[];
}

/** Caps on signatures that are live, so that a stranger can't reserve a budget away. */
export interface LiveSignatureCaps {
  /** Nonces of one sender; default 4 (ERC-7562 UREP-010). One client leaves one of them, unless its share is 100 %. */
  readonly perSender: number;
  /** Operations asked for from one client address (IPv6: its /64; ten times as many from its /48). */
  readonly perClient: number;
  readonly perPaymaster: number;
  /**
   * How much of what is left of any limit, and of the funding wallet, one client address (IPv6: its /48) may hold in live
   * signatures, if that is more than one; of the paymaster's rate limit it may use as much. Percent, 1 to 100. 100:
   * clients are not kept from each other, nor from all turns at decision webhooks and estimates.
   */
  readonly clientSharePercent: number;
}

export const DEFAULT_LIVE_SIGNATURE_CAPS: LiveSignatureCaps = {
  perSender: 4,
  perClient: 100,
  perPaymaster: 10_000,
  clientSharePercent: 50,
};

/** One USD in the unit of USD limits. */
export const MICRO_USD = 1_000_000n;
