import { DependencyUnavailableError } from '@paymaster/domain';
import type { Taken } from '@paymaster/turns';
import { RateLimitedError } from './rpc-errors';

/**
 * The error for a request when this process has no time or memory for the request or for its answer; another process
 * may have.
 */
export function overloaded(): DependencyUnavailableError {
  return new DependencyUnavailableError('gateway', 'More is asked than can be answered in time.', {
    reason: 'OVERLOADED',
    retryAfterSeconds: 1,
  });
}

/** The error for a request that gets no turn, nor a place among those that wait for one. */
export function busy(taken: Taken): Error {
  if (taken === 'inAll') return overloaded();
  const whose = taken === 'perClient' ? 'this client address' : 'this API key';
  return new RateLimitedError(`Too many requests of ${whose} are being worked on; wait and send again.`, 1);
}
