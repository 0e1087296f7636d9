import type { Address, ArgumentOperator, LimitCycle, LimitMeasure, LimitScope, RevertBreaker } from '@paymaster/domain';

/** One limit of a `RULES` policy as it is stored and shown; the amount is the shortest decimal text. */
export interface SpendingLimitData {
  readonly scope: LimitScope;
  readonly measure: LimitMeasure;
  readonly amount: string;
  /** Scope OPERATION has none. */
  readonly cycle?: LimitCycle;
}

/** One argument rule as it is stored and shown; a list of values for IN and NOT_IN, else one. */
export interface ArgumentRuleData {
  readonly contract: Address;
  readonly method: string;
  readonly index: number;
  readonly operator: ArgumentOperator;
  readonly value: string | readonly string[];
}

/** A `RULES` policy as it is stored and shown: what is absent is no rule. */
export interface RulesData {
  /** Lower ones are asked first. */
  readonly priority: number;
  readonly startsAt?: number;
  readonly endsAt?: number;
  readonly senders?: { readonly allow?: readonly Address[]; readonly deny?: readonly Address[] };
  readonly maxCallValueWei?: string;
  readonly maxTotalValueWei?: string;
  readonly arguments?: readonly ArgumentRuleData[];
  readonly maxFeePercentOfBaseFee?: number;
  readonly maxCallGasPercentOfEstimate?: number;
  readonly eip7702Delegates?: readonly Address[];
  readonly accountFactories?: readonly Address[];
  readonly revertBreaker?: RevertBreaker;
  readonly limits?: readonly SpendingLimitData[];
}
