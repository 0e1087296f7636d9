import { Injectable, ValidationPipe, type ArgumentMetadata, type ValidationError } from '@nestjs/common';
import { InvalidBodyError } from './dashboard-errors';
import { UnreadableBody } from './json-body';

/**
 * Turns a body into its DTO, or into one exact sentence: the first broken rule of the first wrong field.
 * Unknown fields are dropped, because existing clients send extra ones.
 */
@Injectable()
export class BodyPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      exceptionFactory: (errors) => new InvalidBodyError(firstSentence(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body') return value;
    if (value instanceof UnreadableBody) throw new InvalidBodyError(value.problem);
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new InvalidBodyError('The body must be a JSON object');
    }
    return (await super.transform(value ?? {}, metadata)) as unknown;
  }
}

/** @param path of the object that the errors are about, so that fields of the same name can be told apart */
function firstSentence(errors: readonly ValidationError[], path = ''): string {
  const [error] = errors;
  const [sentence] = Object.values(error?.constraints ?? {});
  if (sentence) return path ? `${path}: ${sentence}` : sentence;
  if (!error?.children?.length) return 'The body is not valid';
  return firstSentence(error.children, path ? `${path}.${error.property}` : error.property);
}
