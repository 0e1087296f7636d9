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
