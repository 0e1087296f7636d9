import { applyDecorators, HttpCode, HttpStatus, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiOperation } from '@nestjs/swagger';
import type { DashboardError } from './dashboard-errors';

/** The description of a route; {@link buildOpenApi} makes the operation's answers from it. */
export const ANSWER = 'x-answer';
export const CALLER = 'x-caller';
export const INTERFACE_ROW = 'x-interface-row';
export const NO_FIELDS = 'x-no-fields';

export interface AnswerDescription {
  /** The name that generated clients give to the operation. */
  readonly operationId: string;
  readonly summary: string;
  /** The success message. */
  readonly message?: string;
  /** Class of `data`, in an array for a list; absent when the answer has no `data`. */
  readonly data?: Type | readonly [Type];
  /** An example of a warning, if the answer may have some. */
  readonly warning?: string;
  /** An example of the answer, if the answer is CSV and not an envelope. */
  readonly csv?: string;
  /** An example of an event, if the answer is a stream of server-sent events. */
  readonly events?: string;
  /**
   * The operation's own refusals. Refusals because of headers, of a body that is not an object, and of the rate limit
   * are added to them.
   */
  readonly refusals?: readonly DashboardError[];
}

/** Who may call an operation, and how callers are refused because of who they are. */
export interface CallerDescription {
  /** Security schemes, of which the caller satisfies one. */
  readonly security: readonly Readonly<Record<string, string[]>>[];
  readonly refusals: readonly DashboardError[];
}

/** Says how an operation answers: always 200, with the envelope around its data; and documents that and its errors. */
export function AnswersWith(answer: AnswerDescription): MethodDecorator {
  const { operationId, summary, data } = answer;
  return applyDecorators(
    ApiOperation({ operationId, summary }),
    ...(data ? [ApiExtraModels(...([data].flat() as Type[]))] : []),
    ApiExtension(ANSWER, answer),
    SetMetadata(ANSWER, answer),
    HttpCode(HttpStatus.OK),
  );
}
