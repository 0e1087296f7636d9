import { DependencyUnavailableError } from './errors';

/** The deadline of work that no request waits for. */
export const NO_DEADLINE = Number.POSITIVE_INFINITY;

/** The request's time is up: it is answered already, or is about to be. Nothing was signed for it. */
export class RequestTimedOutError extends DependencyUnavailableError {
  constructor() {
    super('gateway', 'The request took too long; nothing was signed for you.', { reason: 'REQUEST_TIMED_OUT' });
  }
}

/**
 * How long a call may take that is made for a request: its own bound, or what is left of the request if that is less.
 *
 * @param deadlineMs when the request is answered at the latest; as `nowMs` in milliseconds of the monotonic clock
 * @param call.boundMs what the call may take by itself
 * @returns whole milliseconds, at least one
 * @throws {RequestTimedOutError} when nothing is left: the call is not to be made
 */
export function timeoutWithin(
  deadlineMs: number,
  { boundMs, nowMs }: { readonly boundMs: number; readonly nowMs: number },
): number {
  assertInTime(deadlineMs, nowMs);
  return Math.ceil(Math.min(boundMs, deadlineMs - nowMs));
}

/** Guards what is not to be done any more after the deadline. @throws {RequestTimedOutError} */
export function assertInTime(deadlineMs: number, nowMs: number): void {
  if (nowMs >= deadlineMs) throw new RequestTimedOutError();
}
