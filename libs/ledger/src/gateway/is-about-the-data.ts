import { DependencyUnavailableError } from '@paymaster/domain';
import { DatabaseError } from 'pg';

/**
 * Whether a statement of the ledger failed because of a value or a constraint (SQLSTATE 22 and 23). Then it wrote nothing,
 * and the rows or requests that were not at fault have to be tried again.
 *
 * @param error as the ledger throws it: a DependencyUnavailableError around the database's
 */
export function isAboutTheData(error: unknown): boolean {
  const cause = error instanceof DependencyUnavailableError ? error.cause : undefined;
  return cause instanceof DatabaseError && /^2[23]/.test(cause.code ?? '');
}
