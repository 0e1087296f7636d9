import Ajv, { type ErrorObject } from 'ajv';
import { InvalidParamsError } from '@paymaster/domain';
import type { JsonSchema, MethodDocument } from './rpc-method';

/** Checks the params of one method and gives them back. @throws {InvalidParamsError} naming the first wrong field */
export type ParamsValidator = (params: unknown) => readonly unknown[];

const ajv = new Ajv({
  allErrors: false,
  verbose: true,
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
});

/** The schema of the `params` array: by position, further elements are refused. */
export function paramsSchema({ params }: MethodDocument): JsonSchema {
  return {
    type: 'array',
    // A list of no schemas is not a schema: for a method without params the length says it all.
    ...(params.length > 0 && { items: params.map(({ schema }) => schema), additionalItems: false }),
    minItems: params.filter(({ required }) => required).length,
    maxItems: params.length,
  };
}

/** Compiles a method's parameter schemas, once, at start. */
export function compileParams(document: MethodDocument): ParamsValidator {
  const validate = ajv.compile(paramsSchema(document));
  const count = countOf(document);
  return (params) => {
    if (!Array.isArray(params)) throw new InvalidParamsError('params', `params must be an array of ${count}.`);
    if (validate(params)) return params;
    const [error] = validate.errors ?? [];
    throw describe(error, `params must be an array of ${count}.`);
  };
}

function countOf({ params }: MethodDocument): string {
  const required = params.filter((param) => param.required).length;
  const names = params.map(({ name }) => name).join(', ');
  if (params.length === 0) return '0 elements';
  const range = required === params.length ? `${required}` : `${required} to ${params.length}`;
  return `${range} element${range === '1' ? '' : 's'} (${names})`;
}

/** One sentence about one field. What a field must be is its schema's `description`. */
function describe(error: ErrorObject | undefined, countSentence: string): InvalidParamsError {
  if (!error || error.instancePath === '') return new InvalidParamsError('params', countSentence);
  const field = `params${error.instancePath.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`;
  if (error.keyword === 'required') {
    const missing = missingIn(error);
    return new InvalidParamsError(`${field}.${missing[0]}`, `${field} lacks ${missing.join(', ')}.`);
  }
  const expected = (error.parentSchema as { description?: unknown } | undefined)?.description;
  const sentence = typeof expected === 'string' ? `must be ${expected}` : (error.message ?? 'is not valid');
  return new InvalidParamsError(field, `${field} ${sentence}.`);
}

function missingIn(error: ErrorObject): readonly string[] {
  const data = error.data as Record<string, unknown>;
  return (error.schema as readonly string[]).filter((name) => data[name] === undefined);
}
