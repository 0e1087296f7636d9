import type { ValidationError } from '@nestjs/common';

/** A client can send a field name that is as long as the body. */
const MAX_QUOTED = 100;

/** The sentence that refuses an unknown field. */
export const unknownField = (name: string): string => `property ${name.slice(0, MAX_QUOTED)} should not exist`;

/**
 * One exact sentence of what class-validator found: the first broken rule of the first wrong field.
 *
 * @param path of the object that the errors are about, so that fields of the same name can be told apart
 */
export function firstSentence(errors: readonly ValidationError[], path = ''): string {
  const [error] = errors;
  const [sentence] = error?.constraints?.['whitelistValidation']
    ? [unknownField(error.property)]
    : Object.values(error?.constraints ?? {});
  if (sentence) return path ? `${path}: ${sentence}` : sentence;
  if (!error?.children?.length) return 'The body is not valid';
  return firstSentence(error.children, path ? `${path}.${error.property}` : error.property);
}
