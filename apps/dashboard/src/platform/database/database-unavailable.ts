import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes and codes that say "not now", as opposed to "not so". */
const UNAVAILABLE_STATES = /^(08|53|57P|57014|55P03|40001|40P01|25P03)/;
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** The pool's own errors carry no code. */
const UNAVAILABLE_MESSAGES = /connection terminated|timeout exceeded|timeout expired|client was closed|not queryable/i;

/** True when an error means that Postgres cannot be reached or does not answer in time. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause = (error instanceof QueryFailedError ? error.driverError : error) as {
    code?: unknown;
    message?: unknown;
  };
  const code = typeof cause?.code === 'string' ? cause.code : '';
  const message = typeof cause?.message === 'string' ? cause.message : '';
  return (
    UNAVAILABLE_STATES.test(code) || UNAVAILABLE_SYSTEM_CODES.has(code) || (!code && UNAVAILABLE_MESSAGES.test(message))
  );
}
