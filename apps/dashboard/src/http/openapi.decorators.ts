import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiOperation } from '@nestjs/swagger';
import type { DashboardError } from './dashboard-errors';

/** What routes say of themselves; {@link buildOpenApi} makes the operation's answers of it. */
export const ANSWER = 'x-answer';
export const CALLER = 'x-caller';
export const INTERFACE_ROW = 'x-interface-row';

export interface AnswerDescription {
  /** As generated clients name the operation. */
  readonly operationId: string;
  readonly summary: string;
  /** The success message. */
  readonly message?: string;
  /** Class of `data`; in an array for a list; absent when there is none. */
  readonly data?: Type | readonly [Type];
  /** An example of an answer that is CSV and no envelope. */
  readonly csv?: string;
  /** The operation's own refusals, beside those that its headers have, a body that is no object, and the rate limit. */
  readonly refusals?: readonly DashboardError[];
}

/** Documents an operation: the envelope around its data, and its errors. */
export function AnswersWith(answer: AnswerDescription): MethodDecorator {
  const { operationId, summary, data } = answer;
  return applyDecorators(
    ApiOperation({ operationId, summary }),
    ...(data ? [ApiExtraModels(...([data].flat() as Type[]))] : []),
    ApiExtension(ANSWER, answer),
  );
}
