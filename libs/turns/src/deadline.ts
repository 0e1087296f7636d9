import { RequestTimedOutError } from '@paymaster/domain';

/** The deadline of work that no request waits for. */
export const NO_DEADLINE = Number.POSITIVE_INFINITY;

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

/**
 * The result of `work`, or of `late` when the work takes longer than `withinMs`. The work goes on, but is no longer
 * waited for. Rejects when `work` does, or what `late` returns.
 */
export async function inTime<T, Late = never>(
  work: Promise<T>,
  withinMs: number,
  late: () => Late | Promise<Late>,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late()), withinMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
