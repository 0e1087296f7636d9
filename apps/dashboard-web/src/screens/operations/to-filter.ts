import type { Operation, OperationFilter } from '../../api/queries';

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

/** The start of the day, or of the day after so many days, as a time in UTC. */
function startOfDay(day: string | undefined, daysLater: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (!year || !month || !date) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}
