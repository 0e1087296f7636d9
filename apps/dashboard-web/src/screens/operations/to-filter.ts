import type { Operation, OperationFilter } from '../../api/queries';
import { startOfDay } from '../../format/time';

export const OPERATION_STATES = ['granted', 'refused', 'landed', 'settled', 'voided'] as const;

export interface OperationSearch {
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
  readonly sender?: string | undefined;
  readonly hash?: string | undefined;
  readonly transaction?: string | undefined;
  readonly request?: string | undefined;
  readonly contract?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The filter that the URL says. Days are the reader's own; the dashboard counts in UTC. */
export function toFilter({ state, reason, from, to, ...search }: OperationSearch): OperationFilter {
  return {
    state: OPERATION_STATES.find((each) => each === state) satisfies Operation['state'] | undefined,
    reason: reason?.trim().toUpperCase() || undefined,
    sender: search.sender?.trim() || undefined,
    userOpHash: search.hash?.trim() || undefined,
    transactionHash: search.transaction?.trim() || undefined,
    requestId: search.request?.trim() || undefined,
    contract: search.contract?.trim() || undefined,
    from: startOfDay(from, 0),
    to: startOfDay(to, 1),
  };
}
