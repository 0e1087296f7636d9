import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { InvalidBodyError } from './dashboard-errors';
import { wrongFields } from './wrong-fields';
import { JsonBody } from './json-body';

const RULES: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  stopAtFirstError: true,
  exceptionFactory: (errors) => new InvalidBodyError(wrongFields(errors)),
};

/**
 * Turns a body into its DTO, or into one text: the first broken rule of each wrong field. It refuses an
 * unknown field by name: if a misspelt field were ignored, a limit on money or access would silently not be set. Routes
 * of the interface document ignore unknown fields, because existing clients send extra fields.
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  private readonly strict = new ValidationPipe({ ...RULES, forbidNonWhitelisted: true });
  private readonly tolerant = new ValidationPipe(RULES);

  async transform(body: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body') return body;
    const value = body instanceof JsonBody ? body.parse() : body;
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new InvalidBodyError('The body must be a JSON object');
    }
    const pipe = body instanceof JsonBody && body.mayHaveMore ? this.tolerant : this.strict;
    return (await pipe.transform(value ?? {}, metadata)) as unknown;
  }
}
