import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { isDeepStrictEqual } from 'node:util';
import { IfSent } from '../fields/presence-rules';
import { ChangedMeanwhileError, InvalidBodyError } from './dashboard-errors';

/** The field of a change in which its sender says what he read. */
export const ExpectedValues = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: true,
      description:
        'The values that you read of fields which you change. Where another value is stored by now, nothing is ' +
        'changed: the answer is 409. Without it the change is made whatever is stored.',
    }),
    IfSent(),
    IsObject(),
  );

/**
 * Compares what the sender of a change read with what is stored. Call it inside of the write, which holds the lock.
 *
 * @param stored the thing as REST shows it now
 * @param changes what was sent, with `expected`, the values that were read before; nothing is compared without it
 * @throws {ChangedMeanwhileError} when another value is stored
 * @throws {InvalidBodyError} when `expected` has a field that is not changed: it would bind nothing
 */
export function refuseIfChangedMeanwhile(stored: object, changes: { readonly expected?: object }): void {
  const { expected = {}, ...sent } = changes;
  const [now, wanted] = [asRead(stored), asRead(sent)];
  for (const [field, value] of Object.entries(expected)) {
    if (!Object.hasOwn(wanted, field)) {
      throw new InvalidBodyError(`expected has ${field.slice(0, 100)}, which the request does not change`);
    }
    if (!isDeepStrictEqual(now[field], asRead(value))) throw new ChangedMeanwhileError(field);
  }
}

/** As a client reads it. */
function asRead(value: unknown): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(value)) as Readonly<Record<string, unknown>>;
}
