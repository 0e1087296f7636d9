import type { ValidationError } from '@nestjs/common';

/** A client can send a field name that is as long as the body. */
const MAX_QUOTED = 100;
/** A client can send as many wrong fields as fit into the body. */
const MAX_SENTENCES = 10;

/** Sentences that the interface document fixes for a condition. Such a sentence is the whole message. */
const FIXED: readonly string[] = ['whitelistedMethods must be an array'];

/** The sentence that refuses an unknown field. */
export const unknownField = (name: string): string => `property ${name.slice(0, MAX_QUOTED)} should not exist`;

/**
 * What class-validator found, as one text: the first broken rule of each wrong field, in the order of the fields.
 *
 * @param path of the object that the errors are about, so that fields of the same name can be told apart
 */
export function wrongFields(errors: readonly ValidationError[], path = ''): string {
  const sentences = sentencesOf(errors, path);
  const fixed = sentences.find((sentence) => FIXED.includes(sentence));
  if (fixed) return fixed;
  const shown = sentences.slice(0, MAX_SENTENCES).join('; ');
  if (sentences.length > MAX_SENTENCES) return `${shown}; and ${sentences.length - MAX_SENTENCES} more`;
  return shown || 'The body is not valid';
}

function sentencesOf(errors: readonly ValidationError[], path: string): string[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const [sentence] = constraints?.['whitelistValidation']
      ? [unknownField(property)]
      : Object.values(constraints ?? {});
    if (sentence) return path ? `${path}: ${sentence}` : sentence;
    return sentencesOf(children ?? [], path ? `${path}.${property}` : property);
  });
}
