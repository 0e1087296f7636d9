import { InvalidParamsError } from '@paymaster/domain';

const OPERATION = 'params[0]';

/**
 * Runs a reader of an operation that names its fields as those of `params[0]`, for a dialect in which the operation
 * stands in a member of that object: errors name the field where the client sent it.
 */
export function inMember<T>(member: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidParamsError) || !error.field.startsWith(OPERATION)) throw error;
    const rename = (text: string): string => text.replaceAll(OPERATION, `${OPERATION}.${member}`);
    throw new InvalidParamsError(rename(error.field), rename(error.message), error.reason);
  }
}
