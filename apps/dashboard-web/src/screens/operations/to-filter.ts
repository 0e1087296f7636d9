import type { Operation, OperationFilter } from '../../api/queries';
import { startOfDay } from '../../format/time';

export const OPERATION_STATES = ['granted', 'refused', 'landed', 'settled', 'voided'] as const;

export interface OperationSearch {
  readonly search?: string | undefined;
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
  readonly contract?: string | undefined;
  readonly method?: string | undefined;
  /** Its id. */
  readonly policy?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** As columns.ts reads it; no filter. */
  readonly columns?: string | undefined;
  readonly open?: string | undefined;
  /** What links of before the search box name. */
  readonly sender?: string | undefined;
  readonly hash?: string | undefined;
  readonly transaction?: string | undefined;
  readonly request?: string | undefined;
}

/** What the dashboard searches for. */
const SEARCHED = /^(0x[0-9a-f]{64}|0x[0-9a-f]{40}|(?!0x)[a-z0-9_.-]{1,64})$/i;

/** What a person typed or pasted into the search box, as the dashboard takes it; undefined where it cannot be found. */
export function searchedIn(text: string): string | undefined {
  // A reason may be typed as words.
  const searched = text.trim().replace(/\s+/g, '_');
  return SEARCHED.test(searched) ? searched : undefined;
}

/** The filter that the URL says. Days are the reader's own; the dashboard counts in UTC. */
export function toFilter({ state, reason, from, to, policy, ...search }: OperationSearch): OperationFilter {
  return {
    search: search.search?.trim() || undefined,
    state: OPERATION_STATES.find((each) => each === state) satisfies Operation['state'] | undefined,
    reason: reason?.trim().toUpperCase() || undefined,
    sender: search.sender?.trim() || undefined,
    userOpHash: search.hash?.trim() || undefined,
    transactionHash: search.transaction?.trim() || undefined,
    requestId: search.request?.trim() || undefined,
    contract: search.contract?.trim() || undefined,
    method: search.method?.trim() || undefined,
    policyId: policy?.trim() || undefined,
    from: startOfDay(from, 0),
    to: startOfDay(to, 1),
  };
}
