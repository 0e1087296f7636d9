import { InvalidBodyError } from './dashboard-errors';

/** A whole number in a query, or undefined when it is left out. @throws {InvalidBodyError} naming it */
export function queryNumber(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^[0-9]{1,15}$/.test(value)) {
    throw new InvalidBodyError(`${name} must be a whole number`);
  }
  return Number(value);
}

/** `true` or `false` in a query; false when it is left out. @throws {InvalidBodyError} naming it */
export function queryFlag(name: string, value: unknown): boolean {
  if (value === undefined || value === 'false') return false;
  if (value !== 'true') throw new InvalidBodyError(`${name} must be true or false`);
  return true;
}

/** @throws {InvalidBodyError} naming the first unknown parameter */
export function refuseUnknownQuery(query: object, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new InvalidBodyError(`the query parameter ${JSON.stringify(unknown.slice(0, 100))} is not known`);
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** `from` (inclusive) and `to` (exclusive) of a query, each if it is sent. @throws {InvalidBodyError} naming them */
export function queryTimes(query: Readonly<Record<string, unknown>>): { from?: Date; to?: Date } {
  const from = queryTime('from', query['from']);
  const to = queryTime('to', query['to']);
  if (from && to && from >= to) throw new InvalidBodyError('from must be before to');
  return { ...(from && { from }), ...(to && { to }) };
}

function queryTime(name: string, value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const time = typeof value === 'string' && ISO_TIME.test(value) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) {
    throw new InvalidBodyError(`${name} must be a time in UTC, as in 2026-01-31 or 2026-01-31T12:00:00Z`);
  }
  return time;
}
