import { DependencyUnavailableError } from '@paymaster/domain';

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
