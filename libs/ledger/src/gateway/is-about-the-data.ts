import { DependencyUnavailableError } from '@paymaster/domain';
import { DatabaseError } from 'pg';

/**
 * Whether a database error concerns a value or a constraint, so that one row or request is at fault. Then the statement
 * wrote nothing, and the other rows or requests have to be tried again.
 */
export function isAboutTheData(error: unknown): boolean {
  const cause = error instanceof DependencyUnavailableError ? error.cause : undefined;
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? '');
}
