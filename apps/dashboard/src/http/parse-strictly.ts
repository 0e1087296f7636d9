import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { InvalidBodyError } from './dashboard-errors';
import { firstSentence } from './first-sentence';

/**
 * Makes a DTO of a part of a body in which nothing unknown may stand: a rule that is not understood would not be kept.
 *
 * @param where the part's path in the body, for errors
 * @throws {InvalidBodyError} the first broken rule of the first wrong or unknown field
 */
export function parseStrictly<T extends object>(dto: new () => T, value: unknown, where: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidBodyError(`${where} must be an object`);
  }
  const parsed = make(dto, value, where);
  const errors = validateSync(parsed, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
  if (errors.length > 0) throw new InvalidBodyError(firstSentence(errors, where));
  return parsed;
}

function make<T extends object>(dto: new () => T, value: object, where: string): T {
  try {
    return plainToInstance(dto, value);
  } catch (error) {
    // From IsListOf, which knows the property only.
    throw error instanceof InvalidBodyError && where ? new InvalidBodyError(`${where}: ${error.message}`) : error;
  }
}
