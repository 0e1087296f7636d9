import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsObject, Matches, ValidateBy } from 'class-validator';
import { IfSent } from '../fields/presence-rules';
import { InvalidBodyError } from './dashboard-errors';
import { placeIn } from './page-cursor';

// The parameters of a query, each of which may be left out. A stack of them is checked from the bottom up.

/** The base of a query whose unknown parameters are ignored, because clients may send some already. */
export abstract class TolerantQuery {}

/** One of a few words. */
export function OneOf(words: readonly string[], api: ApiPropertyOptions = {}): PropertyDecorator {
  return parameter({ enum: words, ...api } as ApiPropertyOptions, [
    IsIn(words, { message: `$property must be one of ${words.join(', ')}` }),
  ]);
}

/** Text of a form. A form that ignores case makes lower case of the text. */
export function TextOf(form: RegExp, problem: string, api: ApiPropertyOptions = {}): PropertyDecorator {
  const toLower = (value: unknown) => (typeof value === 'string' && form.ignoreCase ? value.toLowerCase() : value);
  return parameter({ type: String, ...api } as ApiPropertyOptions, [
    Transform(({ value }: { value: unknown }) => toLower(value)),
    Matches(form, { message: `$property ${problem}` }),
  ]);
}

/** A whole number, from zero. */
export function WholeNumber(api: ApiPropertyOptions = {}): PropertyDecorator {
  return parameter({ type: 'integer', ...api } as ApiPropertyOptions, [
    Transform(({ value }: { value: unknown }) => wholeNumberOf(value) ?? value),
    IsInt({ message: '$property must be a whole number' }),
  ]);
}

/** The number that a text of digits stands for. */
export function wholeNumberOf(text: unknown): number | undefined {
  return typeof text === 'string' && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `true` or `false`. */
export function Flag(api: ApiPropertyOptions = {}): PropertyDecorator {
  const read = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value);
  return parameter({ type: Boolean, ...api } as ApiPropertyOptions, [
    Transform(({ value }: { value: unknown }) => read(value)),
    IsBoolean({ message: '$property must be true or false' }),
  ]);
}

/** Where a page starts. @param idForm the form of the ids that are listed */
export function Cursor(idForm: RegExp): PropertyDecorator {
  return parameter({ type: String, description: '`nextCursor` of the page before.' }, [
    Transform(({ value }: { value: unknown }) => placeIn(value, idForm)),
    IsObject({ message: '$property must be one that was answered' }),
  ]);
}

/** The start of a period, or its end; {@link periodOf} reads both. */
export const From = (): PropertyDecorator => parameter({ type: String, description: 'UTC, inclusive.' }, [IsTime()]);
export const To = (): PropertyDecorator => parameter({ type: String, description: 'UTC, exclusive.' }, [IsTime()]);

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** A day, or a time in UTC. */
export function IsTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isTime',
    validator: {
      validate: (value) => typeof value === 'string' && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value)),
      defaultMessage: () => '$property must be a time in UTC, as in 2026-01-31 or 2026-01-31T12:00:00Z',
    },
  });
}

/** @param period checked by {@link IsTime} @throws {InvalidBodyError} when it is empty */
export function periodOf(period: { readonly from?: string; readonly to?: string }): { from?: Date; to?: Date } {
  const [from, to] = [period.from, period.to].map((time) => (time === undefined ? time : new Date(time)));
  if (from && to && from >= to) throw new InvalidBodyError('from must be before to');
  return { ...(from && { from }), ...(to && { to }) };
}

function parameter(api: ApiPropertyOptions, rules: readonly PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional(api), ...rules, IfSent());
}
