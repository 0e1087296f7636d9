import { DependencyUnavailableError } from '@paymaster/domain';

/** The answer to a request that this process has no time or no memory for: no work was done, and another may have room. */
export function overloaded(): DependencyUnavailableError {
  return new DependencyUnavailableError('gateway', 'More is asked than can be answered in time.', {
    reason: 'OVERLOADED',
    retryAfterSeconds: 1,
  });
}
