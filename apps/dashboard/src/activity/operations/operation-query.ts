import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { parseCursor, presentPlace } from '../../platform/http/page-cursor';
import { queryNumber, queryTimes, refuseUnknownQuery } from '../../platform/http/query-rules';
import {
  OPERATION_STATES,
  USAGE_PARTS,
  type OperationCursor,
  type OperationFilter,
  type OperationsOwner,
  type OperationState,
  type UsagePart,
} from './operation';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HASH = /^0x[0-9a-f]{64}$/;
const HASH_FORM = 'must be 0x and 64 hex digits';

/** Filters by one value: the form that it has in lower case, and the sentence where it has another. */
const EXACT_FILTERS = {
  sender: { form: /^0x[0-9a-f]{40}$/, problem: 'must be an address' },
  userOpHash: { form: HASH, problem: HASH_FORM },
  transactionHash: { form: HASH, problem: HASH_FORM },
  contract: { form: /^0x[0-9a-f]{40}$/, problem: 'must be an address' },
  method: { form: /^0x[0-9a-f]{8}$/, problem: 'must be the first four bytes of a call: 0x and 8 hex digits' },
  policyId: { form: UUID, problem: 'must be the id of a policy' },
} as const satisfies Partial<Record<keyof OperationFilter, { form: RegExp; problem: string }>>;
type ExactFilter = keyof typeof EXACT_FILTERS;

const FILTERS = ['state', 'reason', 'requestId', 'from', 'to', ...Object.keys(EXACT_FILTERS)];
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;
const REASON = /^[A-Z][A-Z0-9_]{0,63}$/;
const DAY_MS = 86_400_000;

type Query = Readonly<Record<string, unknown>>;

/** The filters of a query. @throws {InvalidBodyError} naming the parameter */
export function parseFilter(query: Query, owner: OperationsOwner, others: readonly string[] = []): OperationFilter {
  refuseUnknownQuery(query, [...FILTERS, ...others]);
  const { state, reason, requestId } = query;
  if (state !== undefined && !OPERATION_STATES.includes(state as OperationState)) {
    throw new InvalidBodyError(`state must be one of ${OPERATION_STATES.join(', ')}`);
  }
  if (reason !== undefined && !matches(reason, REASON)) throw new InvalidBodyError('reason must be an error reason');
  if (requestId !== undefined && !matches(requestId, REQUEST_ID)) {
    throw new InvalidBodyError('requestId must be the id of a request');
  }
  const exact = Object.keys(EXACT_FILTERS).flatMap((name) => parseExact(name as ExactFilter, query[name]));
  return {
    owner,
    ...(state !== undefined && { state: state as OperationState }),
    ...(reason !== undefined && { reason }),
    ...(requestId !== undefined && { requestId }),
    ...Object.fromEntries(exact),
    ...queryTimes(query),
  };
}

function parseExact(name: ExactFilter, value: unknown): readonly (readonly [ExactFilter, string])[] {
  if (value === undefined) return [];
  const { form, problem } = EXACT_FILTERS[name];
  const lower = typeof value === 'string' ? value.toLowerCase() : value;
  if (!matches(lower, form)) throw new InvalidBodyError(`${name} ${problem}`);
  return [[name, lower]];
}

/** @throws {InvalidBodyError} naming the parameter */
export function parsePage(query: Query): { limit: number; cursor?: OperationCursor } {
  const limit = queryNumber('limit', query['limit']) ?? DEFAULT_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw new InvalidBodyError(`limit must be from 1 to ${MAX_LIMIT}`);
  const { cursor } = query;
  return { limit, ...(cursor !== undefined && { cursor: parseOperationCursor(cursor) }) };
}

/** A cursor as clients get it: opaque to them. */
export function presentCursor({ createdAtUs, id }: OperationCursor): string {
  return presentPlace({ atUs: createdAtUs, id });
}

function parseOperationCursor(text: unknown): OperationCursor {
  const { atUs, id } = parseCursor(text, UUID);
  return { createdAtUs: atUs, id };
}

const MAX_SPLIT_DAYS = 92;

/** The period of a usage, its step, and by what it is split. */
export interface UsageQuery {
  readonly from: Date;
  readonly to: Date;
  readonly interval: 'hour' | 'day';
  /** Undefined: not split. */
  readonly by: UsagePart | undefined;
}

/** The last 24 hours, or 30 days, where no period is named. A split has whole days. @throws {InvalidBodyError} */
export function parseUsageQuery(query: Query): UsageQuery {
  refuseUnknownQuery(query, ['from', 'to', 'interval', 'by']);
  const { by } = query;
  if (by !== undefined && !USAGE_PARTS.includes(by as UsagePart)) {
    throw new InvalidBodyError(`by must be one of ${USAGE_PARTS.join(', ')}`);
  }
  const { interval = by === undefined ? 'hour' : 'day' } = query;
  if (interval !== 'hour' && interval !== 'day') throw new InvalidBodyError('interval must be hour or day');
  if (by !== undefined && interval !== 'day') throw new InvalidBodyError('interval must be day where usage is split');
  const { from, to = new Date() } = queryTimes(query);
  const start = from ?? new Date(to.getTime() - (interval === 'hour' ? 1 : 30) * DAY_MS);
  const points = (to.getTime() - start.getTime()) / (interval === 'hour' ? DAY_MS / 24 : DAY_MS);
  if (points > 2_000) throw new InvalidBodyError('from and to must be at most 2000 points apart');
  if (by !== undefined && points > MAX_SPLIT_DAYS) {
    throw new InvalidBodyError(`from and to must be at most ${MAX_SPLIT_DAYS} days apart where usage is split`);
  }
  return { from: start, to, interval, by: by as UsagePart | undefined };
}

/** A period of which the end may be left out. @throws {InvalidBodyError} naming the field */
export function parsePeriod(period: { from: string; to: string | undefined }): { from: Date; to: Date } {
  const { from = new Date(0), to = new Date() } = queryTimes(period);
  if (from >= to) throw new InvalidBodyError('from must be before to');
  return { from, to };
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
