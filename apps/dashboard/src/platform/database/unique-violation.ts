import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Turns "this unique constraint was violated" into the error that says so in the caller's words. */
export async function onUniqueViolation<T>(
  errors: Readonly<Record<string, () => Error>>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const toError = errors[violatedConstraint(error) ?? ''];
    throw toError ? toError() : error;
  }
}

function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return code === UNIQUE_VIOLATION ? constraint : undefined;
}
