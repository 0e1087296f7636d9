import { readFileSync } from 'node:fs';
import type { ErrorObject } from 'ajv';

/** `chains.json` or a token list is missing, unreadable or wrong; the message names the file and the field. */
export class ChainsFileError extends Error {
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.name = 'ChainsFileError';
  }
}

/** @throws {ChainsFileError} when the file can't be read or is not JSON */
export function readJsonFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ChainsFileError(path, 'cannot be read', { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ChainsFileError(path, 'is not JSON', { cause });
  }
}

/** The problems that a schema finds in a file, as `field problem`. */
export function describeSchemaError(error: ErrorObject | undefined): string {
  if (!error) return 'is not valid';
  const field = error.instancePath.slice(1).replaceAll('/', '.') || 'the file';
  const { additionalProperty, allowedValues } = error.params as {
    additionalProperty?: string;
    allowedValues?: string[];
  };
  const named = additionalProperty ?? allowedValues?.join(', ');
  const extra = named === undefined ? '' : ` (${named})`;
  return `${field} ${error.message ?? 'is not valid'}${extra}`;
}
