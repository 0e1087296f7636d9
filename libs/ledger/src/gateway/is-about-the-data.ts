import { DependencyUnavailableError } from '@paymaster/domain';
import { DatabaseError } from 'pg';

/** A value or a constraint, and so the fault of one row or request: nothing was written, and the others have a right. */
export function isAboutTheData(error: unknown): boolean {
  const cause = error instanceof DependencyUnavailableError ? error.cause : undefined;
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? '');
}
