import type { paths } from '@paymaster/dashboard-api';
import createClient from 'openapi-fetch';
import { ApiError, ConnectionLostError } from './api-error';
import { lost } from './connection';

export const SDK = '/api/v2/public/sdk';

/** Statuses of a proxy that stands in front of a dashboard which is down. */
const NOT_THE_DASHBOARD = new Set([502, 504]);

const client = createClient<paths>({ baseUrl: '', credentials: 'same-origin', fetch: reach });

/** For whom a request is: the account, and where a route belongs to a paymaster, that paymaster. */
export interface Scope {
  readonly accountId?: string | undefined;
  readonly paymasterId?: string | undefined;
}

export const api = client;

/** The headers of a scope. */
export function headersOf({ accountId, paymasterId }: Scope): Record<string, string> {
  return { ...(accountId && { accountId }), ...(paymasterId && { paymasterId }) };
}

/** For answers that would hold the main key, which nobody asked to see (RFC 7240). */
export const WITHOUT_DATA = { Prefer: 'return=minimal' } as const;

interface Answered {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}
type DataOf<T> = T extends { readonly data?: infer Body } ? NonNullable<Body> : never;
type ContentOf<Body> = Body extends { data: infer Content } ? Content : undefined;

/** What an answer carries. @throws {ApiError} with the sentence of the refusal */
export async function contentOf<T extends Answered>(answering: Promise<T>): Promise<ContentOf<DataOf<T>>> {
  const { data, error, response } = await answering;
  if (response.ok && error === undefined) return (data as { data?: unknown } | undefined)?.data as never;
  throw refusalOf(response.status, error);
}

/** The error of an answer that is a refusal, ours or a proxy's. */
export function refusalOf(status: number, body: unknown): ApiError {
  const { message, reason, requestId } = (typeof body === 'object' && body !== null ? body : {}) as Partial<
    Record<string, unknown>
  >;
  return new ApiError(
    status,
    typeof message === 'string' ? message : `The server answered with HTTP status ${status}.`,
    typeof reason === 'string' ? reason : undefined,
    typeof requestId === 'string' ? requestId : undefined,
  );
}

/** Asks whether the dashboard answers. */
export function isReachable(): Promise<boolean> {
  return reach(`${SDK}/session`).then(
    () => true,
    () => false,
  );
}

/** Remembers whether the dashboard was reached. @throws {ConnectionLostError} */
export async function reach(input: Request | string, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init);
    lost.set(NOT_THE_DASHBOARD.has(response.status));
    if (NOT_THE_DASHBOARD.has(response.status)) throw new ConnectionLostError();
    return response;
  } catch (error) {
    const signal = input instanceof Request ? input.signal : init?.signal;
    if (signal?.aborted || error instanceof ConnectionLostError) throw error;
    lost.set(true);
    throw new ConnectionLostError({ cause: error });
  }
}
