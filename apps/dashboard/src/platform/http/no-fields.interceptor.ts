import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { InvalidBodyError } from './dashboard-errors';
import { unknownField } from './wrong-fields';
import { JsonBody } from './json-body';
import { NO_FIELDS } from './openapi.decorators';

/**
 * For a route that changes something and takes no body: a client that sends a field gets a refusal that names the
 * field.
 */
export const TakesNoFields = (): MethodDecorator =>
  applyDecorators(UseInterceptors(NoFieldsInterceptor), ApiExtension(NO_FIELDS, true));

/** See {@link TakesNoFields}. An empty body and an empty object pass. */
@Injectable()
export class NoFieldsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    const value = body instanceof JsonBody ? body.parse() : undefined;
    if (value === undefined) return next.handle();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new InvalidBodyError('The body must be a JSON object');
    }
    const [name] = Object.keys(value);
    if (name !== undefined) throw new InvalidBodyError(unknownField(name));
    return next.handle();
  }
}
