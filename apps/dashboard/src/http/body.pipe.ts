import { Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { InvalidBodyError } from './dashboard-errors';
import { firstSentence } from './first-sentence';
import { JsonBody } from './json-body';

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

  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body') return body;
    const value = body instanceof JsonBody ? body.parse() : body;
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new InvalidBodyError('The body must be a JSON object');
    }
    return (await super.transform(value ?? {}, metadata)) as unknown;
  }
}
