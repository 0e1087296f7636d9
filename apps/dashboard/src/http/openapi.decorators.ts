import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';

export interface AnswerDescription {
  readonly summary: string;
  /** Class of `data`; in an array for a list; absent when there is none. */
  readonly data?: Type | readonly [Type];
  /** Messages of the 400 answers that are this operation's own. */
  readonly errors?: readonly string[];
  /** Whether it asks the chain, which may be down. */
  readonly readsChain?: boolean;
  /** What a wrong apiKey, or something that is not there, is answered with. */
  readonly notFound?: { readonly message: string; readonly statusCode: number };
}

/** Documents an operation: the envelope around its data, and its errors. */
export function AnswersWith({ summary, data, errors = [], notFound, readsChain }: AnswerDescription): MethodDecorator {
  const model = [data].flat()[0] as Type | undefined;
  const item = model && { $ref: getSchemaPath(model) };
  const dataSchema = item && (Array.isArray(data) ? { type: 'array', items: item } : item);
  return applyDecorators(
    ApiOperation({ summary }),
    ...(model ? [ApiExtraModels(model)] : []),
    ApiResponse({ status: 200, description: 'Done.', schema: envelopeSchema(dataSchema) }),
    ApiResponse({ status: 400, description: ['The body is wrong', ...errors].join('; '), schema: envelopeSchema() }),
    ApiResponse({
      status: 401,
      description: 'A header is missing, or the authToken is wrong.',
      schema: envelopeSchema(),
    }),
    ...(notFound
      ? [
          ApiResponse({
            status: 404,
            description: `${notFound.message} (statusCode ${notFound.statusCode} in the body)`,
            schema: envelopeSchema(),
          }),
        ]
      : []),
    ApiResponse({ status: 429, description: 'Too many requests; see Retry-After.', schema: envelopeSchema() }),
    ...(readsChain
      ? [
          ApiResponse({
            status: 503,
            description: 'The chain cannot be read at the moment; see Retry-After.',
            schema: envelopeSchema(),
          }),
        ]
      : []),
  );
}

function envelopeSchema(data?: object) {
  return {
    type: 'object',
    required: ['statusCode', 'message', ...(data ? ['data'] : [])],
    properties: { statusCode: { type: 'integer' }, message: { type: 'string' }, ...(data && { data }) },
  };
}
