import Ajv, { type ValidateFunction } from 'ajv';

const ajv = new Ajv({
  useDefaults: true,
  allErrors: false,
  // The schemas are ours, and specs check them. Checking them again, or optimizing code that runs
  // once, would slow every start.
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});

/** Checks the form of a file that the operator writes, or of a part of one, and fills in defaults. */
export function fileValidator<T>(schema: object): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}
