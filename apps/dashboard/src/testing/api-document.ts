import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';

/** The API document as it is checked in. */
export const API_DOCUMENT_FILE = join(__dirname, '../../../../docs/api/dashboard.openapi.json');

export interface ApiContent {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string }>;
  readonly requestBody?: { readonly content: Readonly<Record<string, ApiContent>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, ApiContent>> }>>;
  readonly security: ReadonlyArray<Readonly<Record<string, readonly string[]>>>;
  readonly 'x-interface-row'?: true;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const SDK = '/api/v2/public/sdk';

export const apiDocument = JSON.parse(readFileSync(API_DOCUMENT_FILE, 'utf8')) as ApiDocument;

/** Its operations by name, as in `PATCH /paymaster-policy/{policyId}`. */
export const apiOperations: ReadonlyMap<string, ApiOperation> = new Map(
  Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, ApiOperation] => [
      `${method.toUpperCase()} ${path.replace(SDK, '')}`,
      operation,
    ]),
  ),
);

const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

/** What schemas of the document refer to is compiled once, and not once more for each schema. */
const COMPONENTS = 'components-of-the-document';
ajv.addSchema({ $id: COMPONENTS, components: toJsonSchema(apiDocument.components) });

/** Checks values against a schema of the document; a field that the document does not have is a mistake too. */
export function validatorOf(schema: object): ValidateFunction {
  return ajv.compile(toJsonSchema(schema));
}

/** OpenAPI 3.0 says `nullable` where JSON Schema has a type for null. Objects are closed. */
function toJsonSchema<T>(node: T): T {
  if (Array.isArray(node)) return node.map(toJsonSchema) as T;
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === '$ref') return [key, COMPONENTS + String(value)];
      return [key, key === 'example' ? value : (toJsonSchema(value) as unknown)];
    }),
  );
  const closed = 'properties' in rest ? { additionalProperties: false, ...rest } : rest;
  return (nullable === true ? { anyOf: [closed, { type: 'null' }] } : closed) as T;
}
