import type { Stack } from '@paymaster/devnet';
import { http } from './json-rpc';

/** The dashboard's envelope, and the HTTP status it came with. */
export interface DashboardAnswer {
  readonly status: number;
  readonly statusCode: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface DashboardRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** What follows `/api/v2/public/sdk`. */
  readonly path: string;
  readonly apiKey?: string;
  /** By default the token of the seeded account. */
  readonly authToken?: string;
  readonly body?: unknown;
}

/** One REST call as a dapp owner makes it. */
export async function dashboard(stack: Stack, request: DashboardRequest): Promise<DashboardAnswer> {
  const { method, path, apiKey, authToken = stack.authToken, body } = request;
  const answer = await http({
    url: `${stack.dashboard}/api/v2/public/sdk${path}`,
    method,
    headers: {
      authToken,
      ...(apiKey && { apiKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { ...(JSON.parse(answer.text) as Omit<DashboardAnswer, 'status'>), status: answer.status };
}

/** The same for a call that has to succeed; returns its `data`. @throws with the dashboard's message */
export async function dashboardOk<T = unknown>(stack: Stack, request: DashboardRequest): Promise<T> {
  const answer = await dashboard(stack, request);
  if (answer.status !== 200) {
    throw new Error(`${request.method} ${request.path}: HTTP ${answer.status} ${answer.message}`);
  }
  return answer.data as T;
}
