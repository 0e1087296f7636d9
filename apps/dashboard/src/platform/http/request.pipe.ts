import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { InvalidBodyError } from './dashboard-errors';
import { wrongFields } from './wrong-fields';
import { JsonBody } from './json-body';
import { TolerantQuery } from './query-rules';

const RULES: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  stopAtFirstError: true,
  exceptionFactory: (errors) => new InvalidBodyError(wrongFields(errors)),
};

/**
 * Turns a body or a query into its DTO, or into one text: the first broken rule of each wrong field, of a query the first
 * one only. It refuses an unknown field by name: if a misspelt field were ignored, a limit on money or access would
 * silently not be set. Routes of the interface document ignore unknown fields, because existing clients send extra
 * fields.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly strict = new ValidationPipe({ ...RULES, forbidNonWhitelisted: true });
  private readonly tolerant = new ValidationPipe(RULES);
  private readonly queries = new ValidationPipe({
    ...RULES,
    exceptionFactory: (errors) => new InvalidBodyError(wrongFields(errors.slice(0, 1))),
  });

  async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'query' && metadata.data === undefined) return this.query(sent as object, metadata);
    if (metadata.type !== 'body') return sent;
    const value = sent instanceof JsonBody ? sent.parse() : sent;
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new InvalidBodyError('The body must be a JSON object');
    }
    const pipe = sent instanceof JsonBody && sent.mayHaveMore ? this.tolerant : this.strict;
    return (await pipe.transform(value ?? {}, metadata)) as unknown;
  }

  private async query(sent: object, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype: type = Object } = metadata;
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    const isKnown = (name: string) => rules.some(({ propertyName }) => propertyName === name);
    const unknown = Object.keys(sent).find((name) => !isKnown(name));
    if (unknown !== undefined && !(type.prototype instanceof TolerantQuery)) {
      throw new InvalidBodyError(`the query parameter ${JSON.stringify(unknown.slice(0, 100))} is not known`);
    }
    const known = Object.entries(sent).filter(([name]) => isKnown(name));
    return (await this.queries.transform(Object.fromEntries(known), metadata)) as unknown;
  }
}
