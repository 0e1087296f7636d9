import { readStack } from '@paymaster/devnet';

export interface Call {
  readonly method: string;
  /** After /api/v2/public/sdk; or the whole path when it starts with two slashes, /api or /docs. */
  readonly path: string;
  readonly authToken?: string;
  readonly apiKey?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer<T = unknown> {
  readonly status: number;
  readonly body: { readonly statusCode: number; readonly message: string; readonly data: T };
  readonly headers: Headers;
  /** Whether a row of the interface document was called, whose errors have exactly two fields. */
  readonly isOfInterfaceRow: boolean;
}

const SDK = '/api/v2/public/sdk';
const INTERFACE_ROWS =
  /^((GET|POST|PATCH) \/paymaster|(GET|POST|PATCH|DELETE) \/smart-contract|GET \/funding-message(\/[^/]+)?)\/?$/;

/** One HTTP call to the running dashboard. */
export async function call<T = unknown>(request: Call): Promise<Answer<T>> {
  const { method, path, authToken, apiKey, body, rawBody, headers } = request;
  const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const whole = /^\/(\/|api|docs)/.test(path);
  const response = await fetch(readStack().dashboard.replace(/\/+$/, '') + (whole ? path : SDK + path), {
    method,
    headers: {
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(authToken !== undefined && { authToken }),
      ...(apiKey !== undefined && { apiKey }),
      ...headers,
    },
    body: content,
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text ? JSON.parse(text) : undefined) as Answer<T>['body'],
    headers: response.headers,
    isOfInterfaceRow: INTERFACE_ROWS.test(
      `${method} ${path.replace(/\?.*/, '').replace(/^\/{1,2}api\/v2\/public\/sdk/, '')}`,
    ),
  };
}
