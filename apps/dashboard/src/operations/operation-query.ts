import { InvalidBodyError } from '../http/dashboard-errors';
import { queryNumber, refuseUnknownQuery } from '../http/query-rules';
import {
  OPERATION_STATES,
  type OperationCursor,
  type OperationFilter,
  type OperationsOwner,
  type OperationState,
} from './operation';

const HASH = /^0x[0-9a-f]{64}$/;
const HASH_FORM = 'must be 0x and 64 hex digits';

/** Filters by one value: the form that it has in lower case, and the sentence where it has another. */
const EXACT_FILTERS = {
  sender: { form: /^0x[0-9a-f]{40}$/, problem: 'must be an address' },
  userOpHash: { form: HASH, problem: HASH_FORM },
  transactionHash: { form: HASH, problem: HASH_FORM },
  contract: { form: /^0x[0-9a-f]{40}$/, problem: 'must be an address' },
  method: { form: /^0x[0-9a-f]{8}$/, problem: 'must be the first four bytes of a call: 0x and 8 hex digits' },
  policyId: { form: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, problem: 'must be the id of a policy' },
} as const satisfies Partial<Record<keyof OperationFilter, { form: RegExp; problem: string }>>;
type ExactFilter = keyof typeof EXACT_FILTERS;

const FILTERS = ['state', 'reason', 'requestId', 'from', 'to', ...Object.keys(EXACT_FILTERS)];
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;
const REASON = /^[A-Z][A-Z0-9_]{0,63}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;
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
    ...times(query),
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
  return { limit, ...(cursor !== undefined && { cursor: parseCursor(cursor) }) };
}

/** A cursor as clients get it: opaque to them. */
export function presentCursor({ createdAtUs, id }: OperationCursor): string {
  return Buffer.from(`${createdAtUs}.${id}`).toString('base64url');
}

/** The period and step of a usage series; the last 24 hours, or 30 days, where none is named. */
export function parseUsageQuery(query: Query): { from: Date; to: Date; interval: 'hour' | 'day' } {
  refuseUnknownQuery(query, ['from', 'to', 'interval']);
  const { interval = 'hour' } = query;
  if (interval !== 'hour' && interval !== 'day') throw new InvalidBodyError('interval must be hour or day');
  const { from, to = new Date() } = times(query);
  const start = from ?? new Date(to.getTime() - (interval === 'hour' ? 1 : 30) * DAY_MS);
  const points = (to.getTime() - start.getTime()) / (interval === 'hour' ? DAY_MS / 24 : DAY_MS);
  if (points > 2_000) throw new InvalidBodyError('from and to must be at most 2000 points apart');
  return { from: start, to, interval };
}

/** A period of which the end may be left out. @throws {InvalidBodyError} naming the field */
export function parsePeriod(period: { from: string; to: string | undefined }): { from: Date; to: Date } {
  const { from = new Date(0), to = new Date() } = times(period);
  if (from >= to) throw new InvalidBodyError('from must be before to');
  return { from, to };
}

function times(query: Query): { from?: Date; to?: Date } {
  const from = parseTime('from', query['from']);
  const to = parseTime('to', query['to']);
  if (from && to && from >= to) throw new InvalidBodyError('from must be before to');
  return { ...(from && { from }), ...(to && { to }) };
}

function parseTime(name: string, value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const time = matches(value, ISO_TIME) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) {
    throw new InvalidBodyError(`${name} must be a time in UTC, as in 2026-01-31 or 2026-01-31T12:00:00Z`);
  }
  return time;
}

function parseCursor(text: unknown): OperationCursor {
  const [createdAtUs = '', id = ''] =
    typeof text === 'string' ? Buffer.from(text, 'base64url').toString('latin1').split('.') : [];
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  if (!/^\d{1,18}$/.test(createdAtUs) || !isId) throw new InvalidBodyError('cursor must be one that was answered');
  return { createdAtUs, id };
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
