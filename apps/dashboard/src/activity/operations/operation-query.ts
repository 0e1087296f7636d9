import { Max, Min } from 'class-validator';
import { UUID } from '../../platform/database/uuid';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import type { PagePlace } from '../../platform/http/page-cursor';
import { Cursor, Flag, From, OneOf, periodOf, TextOf, To, WholeNumber } from '../../platform/http/query-rules';
import {
  OPERATION_STATES,
  USAGE_PARTS,
  type OperationFacts,
  type OperationFilter,
  type OperationsOwner,
  type OperationState,
  type UsagePart,
} from './operation';

const ADDRESS = [/^0x[0-9a-f]{40}$/i, 'must be an address'] as const;
const HASH = [/^0x[0-9a-f]{64}$/i, 'must be 0x and 64 hex digits'] as const;
const REASON = [/^[A-Z][A-Z0-9_]{0,63}$/, 'must be an error reason'] as const;
const REQUEST = [/^[A-Za-z0-9_.-]{1,64}$/, 'must be the id of a request'] as const;
const SEARCHED = [
  /^(0x[0-9a-fA-F]{64}|0x[0-9a-fA-F]{40}|(?!0x)[A-Za-z0-9_.-]{1,64})$/,
  'must be a hash, an address, the id of a request or an operation, or an error reason',
] as const;
const A_SEARCH =
  'Finds the operations of a hash (their own, or of their transaction), a sender, the last request for them, or a reason; or the one of that id.';
const SELECTOR = [/^0x[0-9a-f]{8}$/i, 'must be the first four bytes of a call: 0x and 8 hex digits'] as const;
const A_METHOD = 'The first four bytes of a call that it made; with `contract`, of a call to that contract.';
const A_PART =
  'Splits the usage of whole days, 92 at most; the 100 that cost most. Refused operations are left out. By mode (`sponsored`, `token`) each operation counts once: the two are the whole. By key, token and policy only operations count that have one.';
const MAX_SPLIT_DAYS = 92;
const LIMIT = { minimum: 1, maximum: 200, default: 50 };
const OUT_OF_BOUNDS = { message: `$property must be from ${LIMIT.minimum} to ${LIMIT.maximum}` };
const DAY_MS = 86_400_000;

/** Which operations are wanted. */
export class OperationsQuery {
  @OneOf(OPERATION_STATES) readonly state?: OperationState;
  @TextOf(...SEARCHED, { description: A_SEARCH }) readonly search?: string;
  @TextOf(...REASON, { description: 'Of refusals.' }) readonly reason?: string;
  @TextOf(...ADDRESS) readonly sender?: string;
  @TextOf(...HASH) readonly userOpHash?: string;
  @TextOf(...REQUEST, { description: 'Of the last request for it.' }) readonly requestId?: string;
  @TextOf(...HASH) readonly transactionHash?: string;
  @TextOf(...ADDRESS, { description: 'An address that it called.' }) readonly contract?: string;
  @TextOf(...SELECTOR, { description: A_METHOD }) readonly method?: string;
  @TextOf(UUID, 'must be the id of a policy', { description: 'The policy that sponsored it.' })
  readonly policyId?: string;
  @From() readonly from?: string;
  @To() readonly to?: string;
}

/** A page of them. */
export class OperationPageQuery extends OperationsQuery {
  @Max(LIMIT.maximum, OUT_OF_BOUNDS)
  @Min(LIMIT.minimum, OUT_OF_BOUNDS)
  @WholeNumber(LIMIT)
  readonly limit: number = LIMIT.default;
  @Cursor(UUID) readonly cursor?: PagePlace;
  @Flag({ description: 'true: `details` and `trace` are null, so that the answer is short.' })
  readonly brief: boolean = false;
}

/** @throws {InvalidBodyError} naming the parameter */
export function filterOf({ from, to, search, ...exact }: OperationsQuery, owner: OperationsOwner): OperationFilter {
  return { owner, ...exact, ...(search !== undefined && { anyOf: meaningsOf(search) }), ...periodOf({ from, to }) };
}

/** What a searched text can be: the id of a request may look like a reason, or like the id of an operation. */
function meaningsOf(text: string): readonly OperationFacts[] {
  const [lower, reason] = [text.toLowerCase(), text.toUpperCase()];
  if (HASH[0].test(text)) return [{ userOpHash: lower }, { transactionHash: lower }];
  if (ADDRESS[0].test(text)) return [{ sender: lower }];
  return [
    { requestId: text },
    ...(REASON[0].test(reason) ? [{ reason }] : []),
    ...(UUID.test(text) ? [{ id: lower }] : []),
  ];
}

/** The period of the usage of an account. */
export class AccountUsageQuery {
  @From() readonly from?: string;
  @To() readonly to?: string;
}

/** The last 30 days where no period is named; whole days as a split. @throws {InvalidBodyError} */
export function accountPeriodOf(query: AccountUsageQuery): { from: Date; to: Date } {
  const { from, to } = usagePeriodOf({ ...query, by: 'mode' });
  return { from, to };
}

/** The period of a usage, its step, and by what it is split. */
export class UsageQuery {
  @From() readonly from?: string;
  @To() readonly to?: string;
  @TextOf(/^(hour|day)$/, 'must be hour or day', { enum: ['hour', 'day'] }) readonly interval?: 'hour' | 'day';
  @OneOf(USAGE_PARTS, { description: A_PART }) readonly by?: UsagePart;
  @Flag({ description: 'With `by`: true answers a row for each part and day. Otherwise a part has one row.' })
  readonly eachDay?: boolean;
}

/** The last 24 hours, or 30 days, where no period is named. A split has whole days. @throws {InvalidBodyError} */
export function usagePeriodOf(query: UsageQuery): { from: Date; to: Date; interval: 'hour' | 'day' } {
  const { by, interval = by === undefined ? 'hour' : 'day' } = query;
  if (query.eachDay && by === undefined) throw new InvalidBodyError('eachDay needs by');
  if (by !== undefined && interval !== 'day') throw new InvalidBodyError('interval must be day where usage is split');
  const { to = new Date(), from = new Date(to.getTime() - (interval === 'hour' ? 1 : 30) * DAY_MS) } = periodOf(query);
  const points = (to.getTime() - from.getTime()) / (interval === 'hour' ? DAY_MS / 24 : DAY_MS);
  if (points > 2_000) throw new InvalidBodyError('from and to must be at most 2000 points apart');
  if (by !== undefined && points > MAX_SPLIT_DAYS) {
    throw new InvalidBodyError(`from and to must be at most ${MAX_SPLIT_DAYS} days apart where usage is split`);
  }
  return { from, to, interval };
}
