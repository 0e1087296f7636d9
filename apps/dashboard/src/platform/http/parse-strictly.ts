import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { InvalidBodyError } from './dashboard-errors';
import { wrongFields } from './wrong-fields';

/**
 * Makes a DTO from a part of a body, and refuses unknown fields in it: a rule that the service does not understand
 * would not be enforced.
 *
 * @param where the path of the part in the body; errors name it
 * @throws {InvalidBodyError} the first broken rule of each wrong or unknown field
 */
export function parseStrictly<T extends object>(dto: new () => T, value: unknown, where: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidBodyError(`${where} must be an object`);
  }
  const parsed = make(dto, value, where);
  const errors = validateSync(parsed, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
  if (errors.length > 0) throw new InvalidBodyError(wrongFields(errors, where));
  return parsed;
}

function make<T extends object>(dto: new () => T, value: object, where: string): T {
  try {
    return plainToInstance(dto, value);
  } catch (error) {
    // This error comes from IsListOf, which knows only the property and not its path.
    throw error instanceof InvalidBodyError && where ? new InvalidBodyError(`${where}: ${error.message}`) : error;
  }
}
