import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { HEX_PATTERN, InvalidParamsError, isHexText } from '@paymaster/domain';
import { nullIsAbsent, REFUSES_NULL } from './null-is-absent';
import type { JsonSchema, MethodDocument } from './rpc-method';

/**
 * Checks the params of one method and returns them without the optional fields that are null.
 *
 * @throws {InvalidParamsError} naming the first wrong field
 */
export type ParamsValidator = (params: unknown) => readonly unknown[];

/** Matches bytes more quickly than their pattern does: call data is most of a request. */
const regExp = Object.assign(
  (pattern: string, flags: string) => (pattern === HEX_PATTERN ? { test: isHexText } : new RegExp(pattern, flags)),
  { code: 'new RegExp' },
);

const ajv = new Ajv({
  code: { regExp },
  allErrors: false,
  verbose: true,
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
  // The schemas are ours, and open-rpc.spec.ts checks them. Checking them again would slow every start.
  meta: false,
  validateSchema: false,
});
ajv.addVocabulary(Object.keys(REFUSES_NULL));

/** Most methods take the same operation, so its schema is compiled once. */
const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: JsonSchema): ValidateFunction {
  const key = JSON.stringify(schema);
  const validator = validators.get(key) ?? ajv.compile(schema);
  validators.set(key, validator);
  return validator;
}

/** Compiles a method's parameter schemas, once, at start. Params go by position, and further elements are refused. */
export function compileParams(document: Pick<MethodDocument, 'params' | 'takes'>): ParamsValidator {
  const byPosition = document.params.map(({ schema, required }) => ({
    ...{ required, validate: validatorOf(schema), clean: nullIsAbsent(schema) },
  }));
  const least = document.params.filter(({ required }) => required).length;
  const count = countOf(document);
  return (params) => {
    if (!Array.isArray(params) || params.length < least || params.length > byPosition.length) {
      throw new InvalidParamsError('params', `params must be an array of ${count}.`);
    }
    const cleaned = params.map((param: unknown, position) => {
      const { required, validate, clean } = byPosition[position]!;
      if (param === null && !required) return undefined;
      const value = clean(param);
      if (!validate(value)) throw describe(validate.errors?.[0], `params[${position}]`);
      return value;
    });
    if (document.takes?.(cleaned) === false) throw new InvalidParamsError('params', 'params are of another dialect.');
    return cleaned;
  };
}

function countOf({ params }: Pick<MethodDocument, 'params'>): string {
  const required = params.filter((param) => param.required).length;
  const names = params.map(({ name }) => name).join(', ');
  if (params.length === 0) return '0 elements';
  const range = required === params.length ? `${required}` : `${required} to ${params.length}`;
  return `${range} element${range === '1' ? '' : 's'} (${names})`;
}

/** One sentence about one field. The requirement in it comes from the `description` of the field's schema. */
function describe(error: ErrorObject | undefined, param: string): InvalidParamsError {
  if (!error) return new InvalidParamsError(param, `${param} is not valid.`);
  const field = `${param}${error.instancePath.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`;
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
