import { DependencyUnavailableError } from '@paymaster/domain';

/** The answer to a request that this process has no time or no memory for, or for whose answer it has none; another may. */
export function overloaded(): DependencyUnavailableError {
  return new DependencyUnavailableError('gateway', 'More is asked than can be answered in time.', {
    reason: 'OVERLOADED',
    retryAfterSeconds: 1,
  });
}
