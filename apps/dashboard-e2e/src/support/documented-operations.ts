import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One operation of the API document. */
export interface DocumentedOperation {
  readonly method: string;
  /** After /api/v2/public/sdk, its parameters filled in. */
  readonly path: string;
  /** Whether programs may call it, with an authToken; people call the others, with a session. */
  readonly takesAuthToken: boolean;
  /** Whether it is about one paymaster, which the apiKey header names. */
  readonly needsApiKey: boolean;
  readonly takesBody: boolean;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Description>>>>;
}

interface Description {
  readonly security: readonly object[];
  readonly requestBody?: object;
}

const DOCUMENT = join(__dirname, '../../../../docs/api/dashboard.openapi.json');
const SDK = '/api/v2/public/sdk';

/** Whatever the document names, so that a new operation is tested from its first day; every id is `id`. */
export function documentedOperations(id: string): DocumentedOperation[] {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as ApiDocument;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.replace(SDK, '').replace(/\{[^}]+\}/g, id),
      takesAuthToken: security.some((schemes) => 'authToken' in schemes),
      needsApiKey: security.some((schemes) => 'apiKey' in schemes),
      takesBody: requestBody !== undefined,
    })),
  );
}
